// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks the lowering of a kernel that holds an anchor op.

#include "Anchors.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3 {

/// The kernel's anchors; empty unless all of them are of kind Op and every
/// other op is a reshape.
template <typename Op> static SmallVector<Op> anchorsOf(Block &body) {
  SmallVector<Op> anchors;
  for (Operation &inner : body.without_terminator()) {
    if (auto anchor = dyn_cast<Op>(inner))
      anchors.push_back(anchor);
    else if (!isa<ReshapeOp>(inner))
      return {};
  }
  return anchors;
}

FailureOr<KernelGrid> lowerAnchorKernel(KernelFrame &frame) {
  Block &body = frame.body();
  if (auto linears = anchorsOf<LinearOp>(body); !linears.empty())
    return lowerLinear(frame, linears);
  if (auto convs = anchorsOf<ShortConvOp>(body); !convs.empty())
    return lowerShortConv(frame, convs);
  if (auto steps = anchorsOf<ChunkOpInterface>(body); !steps.empty())
    return lowerChunks(frame, steps);
  Operation *anchor = nullptr;
  for (Operation &inner : body.without_terminator()) {
    if (isa<ReshapeOp>(inner))
      continue;
    if (anchor)
      return inner.emitOpError("cannot share a kernel with '")
             << anchor->getName() << "'";
    anchor = &inner;
  }
  return llvm::TypeSwitch<Operation *, FailureOr<KernelGrid>>(anchor)
      .Case([&](DeltaRuleOp op) { return lowerDeltaRule(frame, op); })
      .Case([&](LatentAppendOp op) { return lowerLatentAppend(frame, op); })
      .Case([&](LatentAttendOp op) { return lowerLatentAttend(frame, op); })
      .Case([&](AbsorbQueryOp op) { return lowerAbsorbQuery(frame, op); })
      .Case([&](AbsorbValueOp op) { return lowerAbsorbValue(frame, op); })
      .Case([&](ExpertUpOp op) { return lowerExpertUp(frame, op); })
      .Case([&](ExpertDownOp op) { return lowerExpertDown(frame, op); })
      .Case([&](LastTokenOp op) { return lowerLastToken(frame, op); })
      .Default([&](Operation *op) -> FailureOr<KernelGrid> {
        return op->emitOpError("has no lowering to x86-64; run "
                               "--k3-absorb-latent-attention and "
                               "--k3-split-experts first");
      });
}

} // namespace k3
