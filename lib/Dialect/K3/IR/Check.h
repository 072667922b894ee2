// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape checks that the verifiers of all families share; their messages name
// the value, what was wanted and what was found.

#ifndef K3_DIALECT_K3_IR_CHECK_H
#define K3_DIALECT_K3_IR_CHECK_H

#include "k3/Dialect/K3/IR/K3.h"

namespace k3 {

/// The tensor type of a value.
inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline int64_t dimOf(mlir::Value value, unsigned index) {
  return tensorOf(value).getDimSize(index);
}
inline int64_t lastDim(mlir::Value value) {
  return tensorOf(value).getShape().back();
}

/// Fails with "'NAME' must have shape WANT, got TYPE" unless the shapes agree.
mlir::LogicalResult checkShape(mlir::Operation *op, llvm::StringRef name,
                               mlir::Value value, llvm::ArrayRef<int64_t> want);

/// Fails unless both have one shape.
mlir::LogicalResult checkSameShape(mlir::Operation *op, llvm::StringRef name,
                                   mlir::Value value, mlir::Value other);

/// Fails unless both have one type.
mlir::LogicalResult checkSameType(mlir::Operation *op, llvm::StringRef name,
                                  mlir::Value value, mlir::Value other);

/// Fails unless the number is finite and positive.
mlir::LogicalResult checkPositive(mlir::Operation *op, llvm::StringRef name,
                                  const llvm::APFloat &value);

/// Fails unless every dimension but the leading one is static; the second one
/// of `cache`, the capacity of a slot, may be dynamic too.
mlir::LogicalResult checkRowsStatic(mlir::Operation *op, mlir::Type cache = {});

/// Checks `cu_seqlens`, `slots` and `context_lens` against each other.
mlir::LogicalResult checkSequences(mlir::Operation *op, mlir::Value cuSeqlens,
                                   mlir::Value slots, mlir::Value contextLens);

} // namespace k3

#endif // K3_DIALECT_K3_IR_CHECK_H
