// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which form of a decayed Gram matrix is proven safe.

#include "k3/Dialect/K3/Analysis/DecayBounds.h"
#include "k3/Dialect/K3/Transforms/Passes.h"

#include "llvm/Support/Format.h"

#include <cmath>

namespace k3 {
#define GEN_PASS_DEF_PRINTDECAYBOUNDSPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

std::string text(double number) {
  std::string out;
  llvm::raw_string_ostream(out) << llvm::format("%g", number);
  return out;
}

void explainPairwise(InFlightDiagnostic &remark, DeltaRuleOp op,
                     const DecayBounds &bounds, int64_t rows) {
  remark << "pairwise differences: ";
  if (bounds.upper > 0)
    remark << "no upper bound is known";
  else if (std::isinf(bounds.lower))
    remark << "no lower bound is known";
  else
    remark << "factors would need |exponent| <= "
           << text(anchoredExponent(op, bounds, rows)) << ", the limit is "
           << text(kLargestBase2Exponent * std::log(2.0));
}

void explain(DeltaRuleOp op, const DecayBounds &bounds, int64_t rows) {
  DecayChoice choice = chooseDecayForm(op, bounds, rows);
  InFlightDiagnostic remark = op.emitRemark();
  if (choice.form == DecayForm::Plain) {
    remark << "no decay: no exponents";
    return;
  }
  remark << "log-decay in [" << text(bounds.lower) << ", " << text(bounds.upper)
         << "], sub-tiles of " << rows << ": ";
  if (choice.form == DecayForm::Scalar)
    remark << "scalar exponents"
           << (bounds.upper <= 0 ? ", none positive"
                                 : ": no upper bound is known");
  else if (choice.form == DecayForm::Pairwise)
    explainPairwise(remark, op, bounds, rows);
  else
    remark << "anchored at row " << choice.anchor
           << ", |exponent| <= " << text(choice.exponent) << " ("
           << text(choice.exponent / std::log(2.0)) << " in base 2, limit "
           << text(kLargestBase2Exponent) << ")";
}

struct PrintDecayBounds : k3::impl::PrintDecayBoundsPassBase<PrintDecayBounds> {
  using PrintDecayBoundsPassBase::PrintDecayBoundsPassBase;

  LogicalResult check(DeltaRuleOp op) {
    DecayBounds bounds;
    if (op.getG()) {
      FailureOr<DecayBounds> found = decayBoundsOf(op.getG());
      if (failed(found))
        return failure();
      bounds = *found;
    }
    // A bound that is positive and finite was stated or computed; a missing
    // one says nothing, and pairwise differences are then what the op means.
    if (bounds.upper > 0 && std::isfinite(bounds.upper))
      return op.emitError("K3-E0520: log-decays may be as large as ")
             << text(bounds.upper)
             << "; chunks need log-decays that are not positive";
    explain(op, bounds, subTile);
    return success();
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (subTile < 1 || subTile > 64) {
      getOperation().emitError("K3-E0522: sub-tile must be 1 to 64, got ")
          << subTile.getValue();
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](DeltaRuleOp op) {
      return failed(check(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
