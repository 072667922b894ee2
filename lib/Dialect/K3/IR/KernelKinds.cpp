// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops decide the form of the kernel that they are in.

#include "k3/Dialect/K3/IR/KernelKinds.h"

#include "k3/Dialect/K3/IR/K3.h"

using namespace mlir;

bool k3::isAnchor(Operation *op) {
  return isa<LinearOp, AbsorbQueryOp, AbsorbValueOp, ShortConvOp, DeltaRuleOp,
             LatentAppendOp, LatentAttendOp, LatentAttentionOp, ExpertUpOp,
             ExpertDownOp, LatentExpertsOp, LastTokenOp, ChunkOpInterface>(op);
}
