// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of BF16 matrices on the tensor cores of Hopper, as a k3t program.

#ifndef K3_SCHEDULE_MATMULKERNEL_H
#define K3_SCHEDULE_MATMULKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace k3 {

/// The sizes that a product is generated for; rows are free.
struct MatmulShape {
  int64_t columns = 0; ///< N, a multiple of 8
  int64_t depth = 0;   ///< K, a multiple of 64
};

/// y = x w^T with F32 sums:
///
///   matmul(x, w, y, rows)
///
/// x BF16 [rows, K], w BF16 [N, K], y BF16 [rows, N], row major; rows is an
/// i64. One workgroup computes 128 x 256 elements: the grid is ceil(rows / 128)
/// * ceil(N / 256). Needs sm_90a.
mlir::FailureOr<mlir::func::FuncOp> buildMatmul(mlir::ModuleOp module,
                                                const MatmulShape &shape);

} // namespace k3

#endif // K3_SCHEDULE_MATMULKERNEL_H
