// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold after each phase of the pipeline. Failures are diagnostics.

#ifndef K3_LIB_PIPELINE_PHASECHECKS_H
#define K3_LIB_PIPELINE_PHASECHECKS_H

#include "mlir/IR/BuiltinOps.h"

namespace k3 {

/// Flat functions of k3 ops over tensors of a size that can be compiled.
mlir::LogicalResult checkImported(mlir::ModuleOp module);
/// No op is left that only stands for others.
mlir::LogicalResult checkPrepared(mlir::ModuleOp module);
/// Functions hold kernels and access to weights and states only.
mlir::LogicalResult checkFused(mlir::ModuleOp module);
/// Functions hold launches and access to weights and states only.
mlir::LogicalResult checkOutlined(mlir::ModuleOp module);

} // namespace k3

#endif // K3_LIB_PIPELINE_PHASECHECKS_H
