// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sequential meaning of a k3t program, on whole tiles: what a schedule
// computes and rounds, on a machine without a GPU. Layouts, warps and pipelines
// do not matter here; roles are done one after the other.

#ifndef K3_TILEREFERENCE_TILEINTERPRETER_H
#define K3_TILEREFERENCE_TILEINTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace k3 {

/// One argument of a kernel: device memory of F32 or BF16 (numbers that BF16
/// can hold), device memory of I32, or a number.
struct TileArgument {
  std::vector<float> *floats = nullptr;
  std::vector<int32_t> *integers = nullptr;
  int64_t number = 0;
};

/// Runs one workgroup of a kernel before its roles are split. Reads and writes
/// beyond an argument, and ops without a sequential meaning, are diagnostics of
/// the op. Shared memory begins as NaN.
mlir::LogicalResult interpretTiles(mlir::func::FuncOp kernel,
                                   llvm::ArrayRef<TileArgument> arguments,
                                   int64_t workgroup);

} // namespace k3

#endif // K3_TILEREFERENCE_TILEINTERPRETER_H
