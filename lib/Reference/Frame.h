// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op sees of the run: its operands and a place for its results.

#ifndef K3_LIB_REFERENCE_FRAME_H
#define K3_LIB_REFERENCE_FRAME_H

#include "k3/Dialect/K3/IR/K3.h"
#include "k3/Reference/Tensor.h"

#include "llvm/ADT/DenseMap.h"

namespace k3::reference {

class Frame {
public:
  explicit Frame(llvm::DenseMap<mlir::Value, TensorPtr> &values)
      : values(values) {}

  const Tensor &operator[](mlir::Value value) const {
    return *values.find(value)->second;
  }
  /// Null for an optional operand that is not given.
  const Tensor *find(mlir::Value value) const {
    return value ? values.find(value)->second.get() : nullptr;
  }
  void set(mlir::Value result, Tensor tensor) {
    values[result] = share(std::move(tensor));
  }

private:
  llvm::DenseMap<mlir::Value, TensorPtr> &values;
};

/// The meaning of an op other than access to weights and states and runs of
/// kernels. Fails with a diagnostic.
mlir::LogicalResult evaluate(mlir::Operation *op, Frame &frame);

// One overload an op, by family: Norm.cpp, Gate.cpp, ...
mlir::LogicalResult evaluate(RMSNormOp op, Frame &frame);
mlir::LogicalResult evaluate(GatedRMSNormOp op, Frame &frame);
mlir::LogicalResult evaluate(L2NormOp op, Frame &frame);
mlir::LogicalResult evaluate(GateOp op, Frame &frame);
mlir::LogicalResult evaluate(SigmoidOp op, Frame &frame);
mlir::LogicalResult evaluate(OutputGateOp op, Frame &frame);
mlir::LogicalResult evaluate(SituGluOp op, Frame &frame);
mlir::LogicalResult evaluate(SwigluOp op, Frame &frame);
mlir::LogicalResult evaluate(LinearOp op, Frame &frame);
mlir::LogicalResult evaluate(ReshapeOp op, Frame &frame);
mlir::LogicalResult evaluate(SliceOp op, Frame &frame);
mlir::LogicalResult evaluate(ShortConvOp op, Frame &frame);
mlir::LogicalResult evaluate(DeltaRuleOp op, Frame &frame);
mlir::LogicalResult evaluate(ChunkDecayOp op, Frame &frame);
mlir::LogicalResult evaluate(ChunkTiedKeyOp op, Frame &frame);
mlir::LogicalResult evaluate(ChunkGramOp op, Frame &frame);
mlir::LogicalResult evaluate(ChunkInverseOp op, Frame &frame);
mlir::LogicalResult evaluate(ChunkWUOp op, Frame &frame);
mlir::LogicalResult evaluate(ChunkStepOp op, Frame &frame);
mlir::LogicalResult evaluate(ChunkOutputOp op, Frame &frame);
mlir::LogicalResult evaluate(LatentAppendOp op, Frame &frame);
mlir::LogicalResult evaluate(LatentAttentionOp op, Frame &frame);
mlir::LogicalResult evaluate(AbsorbQueryOp op, Frame &frame);
mlir::LogicalResult evaluate(LatentAttendOp op, Frame &frame);
mlir::LogicalResult evaluate(AbsorbValueOp op, Frame &frame);
mlir::LogicalResult evaluate(EmbeddingOp op, Frame &frame);
mlir::LogicalResult evaluate(LastTokenOp op, Frame &frame);
mlir::LogicalResult evaluate(RouterOp op, Frame &frame);
mlir::LogicalResult evaluate(LatentExpertsOp op, Frame &frame);
mlir::LogicalResult evaluate(ExpertUpOp op, Frame &frame);
mlir::LogicalResult evaluate(ExpertDownOp op, Frame &frame);
mlir::LogicalResult evaluate(AddOp op, Frame &frame);
mlir::LogicalResult evaluate(AttnResOp op, Frame &frame);

/// The shape of `like` with the static last dimension of `result`.
Shape shapeLike(const Tensor &like, mlir::Value result);

} // namespace k3::reference

#endif // K3_LIB_REFERENCE_FRAME_H
