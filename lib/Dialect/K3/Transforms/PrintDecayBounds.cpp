// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which form of a decayed Gram matrix is proven safe.

#include "k3/Dialect/K3/Analysis/DecayBounds.h"
#include "k3/Dialect/K3/Transforms/Passes.h"

namespace k3 {
#define GEN_PASS_DEF_PRINTDECAYBOUNDSPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

struct PrintDecayBounds : k3::impl::PrintDecayBoundsPassBase<PrintDecayBounds> {
  using PrintDecayBoundsPassBase::PrintDecayBoundsPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (subTile < 1 || subTile > 64) {
      getOperation().emitError("K3-E0522: sub-tile must be 1 to 64, got ")
          << subTile.getValue();
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](DeltaRuleOp op) {
      FailureOr<DecayBounds> bounds = provenBounds(op);
      if (failed(bounds))
        return WalkResult::interrupt();
      op.emitRemark(describeDecay(op, *bounds, subTile));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
