// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short words for the index arithmetic, loops and fp32 vectors that anchor
// lowerings are made of.

#ifndef K3_CONVERSION_KERNELTOLLVM_VECTORMATH_H
#define K3_CONVERSION_KERNELTOLLVM_VECTORMATH_H

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace k3 {

/// Emits at the frame's insertion point. "Index" values are of index type,
/// "vector" values are vectors of fp32 unless said otherwise.
class VectorMath {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  explicit VectorMath(KernelFrame &frame)
      : frame(frame), b(frame.builder()), loc(frame.loc()) {}

  // Index arithmetic.
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs) { return add(lhs, index(rhs)); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, int64_t rhs);
  mlir::Value rem(mlir::Value lhs, int64_t rhs);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  /// An I32 element of a rank-1 memref, sign-extended to an index.
  mlir::Value loadIndex(mlir::Value memref, mlir::ValueRange indices);

  // Control flow.
  void loop(mlir::Value from, mlir::Value to, int64_t step,
            llvm::function_ref<void(mlir::Value)> body);
  Values loop(mlir::Value from, mlir::Value to, int64_t step,
              mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  void when(mlir::Value condition, llvm::function_ref<void()> yes,
            llvm::function_ref<void()> no = {});

  // Vectors.
  mlir::VectorType vectorType(int64_t lanes, mlir::Type element = {});
  mlir::Value splat(double value, int64_t lanes);
  mlir::Value broadcast(mlir::Value scalar, int64_t lanes);
  mlir::Value scalar(double value);
  /// The first lanes of a vector.
  mlir::Value firstLanes(mlir::Value vector, int64_t lanes);
  /// `lanes` elements from `indices` on, widened to fp32.
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices, int64_t lanes);
  /// Rounds to the memref's element type (nearest even) and stores.
  void store(mlir::Value vector, mlir::Value memref, mlir::ValueRange indices);
  /// One element, widened to fp32.
  mlir::Value loadScalar(mlir::Value memref, mlir::ValueRange indices);
  void storeScalar(mlir::Value scalar, mlir::Value memref,
                   mlir::ValueRange indices);
  /// One element broadcast.
  mlir::Value loadSplat(mlir::Value memref, mlir::ValueRange indices,
                        int64_t lanes) {
    return broadcast(loadScalar(memref, indices), lanes);
  }
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value addF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mulF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value divF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value exp(mlir::Value x);
  /// 1 - exp(x), without cancellation near 0.
  mlir::Value oneMinusExp(mlir::Value x);
  mlir::Value sigmoid(mlir::Value x);
  /// x * sigmoid(x).
  mlir::Value silu(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  /// Sum of the lanes in the order of a binary tree: lane i with lane
  /// i + lanes / 2 first. `lanes` is a power of two.
  mlir::Value sumLanes(mlir::Value vector);
  /// Rounds to `element` and widens again.
  mlir::Value roundTo(mlir::Value vector, mlir::Type element);

  /// (sequence, first token, end, slot, context length) of token `t`.
  struct Sequence {
    mlir::Value number, begin, end, slot, context;
  };
  Sequence sequence(mlir::Value number, mlir::Value cuSeqlens,
                    mlir::Value slots, mlir::Value contextLens);
  /// The sequence that holds token `t`; `count` is the number of sequences.
  mlir::Value sequenceOfToken(mlir::Value token, mlir::Value cuSeqlens,
                              mlir::Value count);

  KernelFrame &frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// Runs `body(first channel, lanes)` for [0, size) in blocks of `lanes`, with a
/// shorter last block when `lanes` does not divide `size`.
void forEachBlock(VectorMath &math, int64_t size, int64_t lanes,
                  llvm::function_ref<void(mlir::Value, int64_t)> body);

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_VECTORMATH_H
