// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an operation to its meaning.

#include "Frame.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

LogicalResult k3::reference::evaluate(Operation *op, Frame &frame) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<RMSNormOp, GatedRMSNormOp, L2NormOp, GateOp, SigmoidOp,
            OutputGateOp, SituGluOp, SwigluOp, LinearOp, ReshapeOp, SliceOp,
            ShortConvOp, DeltaRuleOp, LatentAppendOp, LatentAttentionOp,
            AbsorbQueryOp, LatentAttendOp, AbsorbValueOp, EmbeddingOp,
            LastTokenOp, RouterOp, LatentExpertsOp, ExpertUpOp, ExpertDownOp,
            AddOp, AttnResOp, ChunkDecayOp, ChunkTiedKeyOp, ChunkGramOp,
            ChunkInverseOp, ChunkWUOp, ChunkStepOp, ChunkOutputOp>(
          [&](auto known) { return evaluate(known, frame); })
      .Default([](Operation *other) {
        return other->emitError("the reference has no meaning for '")
               << other->getName() << "'";
      });
}

Shape k3::reference::shapeLike(const Tensor &like, Value result) {
  Shape shape = like.shape;
  shape.back() = cast<RankedTensorType>(result.getType()).getShape().back();
  return shape;
}
