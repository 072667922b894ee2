// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops decide the form of the kernel that they are in.

#ifndef K3_DIALECT_K3_IR_KERNELKINDS_H
#define K3_DIALECT_K3_IR_KERNELKINDS_H

#include "mlir/IR/Operation.h"

namespace k3 {

/// True for ops that need a kernel of their own kind: products with weights and
/// ops that look along a sequence. Everything else is row-wise.
bool isAnchor(mlir::Operation *op);

} // namespace k3

#endif // K3_DIALECT_K3_IR_KERNELKINDS_H
