// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function an anchor op: each emits the work of one workgroup at the
// frame's insertion point and returns the grid.

#ifndef K3_CONVERSION_KERNELTOLLVM_ANCHORS_H
#define K3_CONVERSION_KERNELTOLLVM_ANCHORS_H

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"

namespace k3 {

/// Several products of the same rows.
mlir::FailureOr<KernelGrid> lowerLinear(KernelFrame &frame,
                                        llvm::ArrayRef<LinearOp> linears);
/// Several convolutions over the same sequences.
mlir::FailureOr<KernelGrid> lowerShortConv(KernelFrame &frame,
                                           llvm::ArrayRef<ShortConvOp> convs);
/// The steps of one chunked recurrence.
mlir::FailureOr<KernelGrid> lowerChunks(KernelFrame &frame,
                                        llvm::ArrayRef<ChunkOpInterface> steps);
mlir::FailureOr<KernelGrid> lowerDeltaRule(KernelFrame &frame, DeltaRuleOp op);
mlir::FailureOr<KernelGrid> lowerLatentAppend(KernelFrame &frame,
                                              LatentAppendOp op);
mlir::FailureOr<KernelGrid> lowerLatentAttend(KernelFrame &frame,
                                              LatentAttendOp op);
mlir::FailureOr<KernelGrid> lowerAbsorbQuery(KernelFrame &frame,
                                             AbsorbQueryOp op);
mlir::FailureOr<KernelGrid> lowerAbsorbValue(KernelFrame &frame,
                                             AbsorbValueOp op);
mlir::FailureOr<KernelGrid> lowerExpertUp(KernelFrame &frame, ExpertUpOp op);
mlir::FailureOr<KernelGrid> lowerExpertDown(KernelFrame &frame,
                                            ExpertDownOp op);
mlir::FailureOr<KernelGrid> lowerLastToken(KernelFrame &frame, LastTokenOp op);

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_ANCHORS_H
