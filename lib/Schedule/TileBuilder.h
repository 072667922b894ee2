// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shorthand for writing k3t programs in C++.

#ifndef K3_LIB_SCHEDULE_TILEBUILDER_H
#define K3_LIB_SCHEDULE_TILEBUILDER_H

#include "k3/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace k3 {

class TileBuilder {
public:
  TileBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  // Layouts and types.
  using Ints = llvm::ArrayRef<int64_t>;
  mlir::Attribute blocked(Ints size, Ints lanes, Ints warps);
  mlir::Attribute acc();
  mlir::Attribute slice(int64_t axis, mlir::Attribute parent);
  mlir::RankedTensorType f32(Ints shape, mlir::Attribute layout);
  mlir::RankedTensorType bf16(Ints shape, mlir::Attribute layout);
  mlir::Type globalOf(mlir::Type element);

  // Scalars.
  mlir::Value blockId();
  mlir::Value warpId(); ///< in its role
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value f32(double value);
  mlir::Value wide(mlir::Value x); ///< i32 -> i64
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value atLeast(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// base[offset] as F32 or I32.
  mlir::Value element(mlir::Value base, mlir::Value offset);

  // Tiles; a scalar operand stands for a tile of the other one's type.
  mlir::Value plus(mlir::Value x, mlir::Value y);
  mlir::Value minus(mlir::Value x, mlir::Value y);
  mlir::Value times(mlir::Value x, mlir::Value y);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value exp2(mlir::Value x);
  mlir::Value rsqrt(mlir::Value x);
  mlir::Value reciprocal(mlir::Value x);
  /// 1 / (1 + 2^(-log2(e) x)); tanh would lose small values to cancellation.
  mlir::Value sigmoid(mlir::Value x);
  mlir::Value silu(mlir::Value x);
  mlir::Value softplus(mlir::Value x);
  mlir::Value extend(mlir::Value x);   ///< BF16 -> F32
  mlir::Value truncate(mlir::Value x); ///< F32 -> BF16
  mlir::Value splat(mlir::Value scalar, mlir::RankedTensorType type);
  mlir::Value zeros(mlir::RankedTensorType type);
  mlir::Value iota(int64_t axis, mlir::RankedTensorType like);
  mlir::Value sum(mlir::Value x, int64_t axis);
  mlir::Value scan(mlir::Value x, int64_t axis);
  mlir::Value last(mlir::Value x, int64_t axis);
  mlir::Value broadcast(mlir::Value x, mlir::RankedTensorType type);
  mlir::Value concat(mlir::Value left, mlir::Value right);
  mlir::Value bitAnd(mlir::Value x, mlir::Value y);

  // Memory.
  mlir::Value load(mlir::RankedTensorType type, mlir::Value base,
                   mlir::Value offset, int64_t alignment,
                   mlir::Value rowStride = {}, mlir::Value rows = {},
                   mlir::Value cols = {});
  void store(mlir::Value tile, mlir::Value base, mlir::Value offset,
             int64_t alignment, mlir::Value rowStride = {},
             mlir::Value rows = {}, mlir::Value cols = {}, int64_t segment = 0);
  mlir::Value shared(Ints shape, mlir::Type element, bool swizzle,
                     int64_t stages = 1, int64_t pad = 0,
                     mlir::Value over = {});
  mlir::Value stage(mlir::Value buffer, mlir::Value index);
  mlir::Value loadShared(mlir::RankedTensorType type, mlir::Value buffer,
                         int64_t firstRow = 0, int64_t segment = 0);
  mlir::Value loadTransposed(mlir::RankedTensorType type, mlir::Value buffer,
                             int64_t firstRow = 0);
  mlir::Value loadRepeated(mlir::RankedTensorType type, mlir::Value buffer);
  void storeShared(mlir::Value tile, mlir::Value buffer, int64_t firstRow = 0,
                   int64_t segment = 0, int64_t limit = 0);
  void storeTransposed(mlir::Value tile, mlir::Value buffer,
                       int64_t firstRow = 0);
  void storeOfWarpgroup(int64_t group, mlir::Value tile, mlir::Value buffer,
                        int64_t firstColumn = 0);
  void copyAsync(mlir::Value base, mlir::Value offset, mlir::Value rowStride,
                 mlir::Value rows, mlir::Value buffer);
  void barrier(bool warpgroup = false);
  void fenceShared();

  // Tensor cores.
  llvm::SmallVector<mlir::Value> wgmmaFence(mlir::ValueRange values);
  mlir::Value wgmma(mlir::RankedTensorType type, mlir::ValueRange a,
                    mlir::ValueRange b, mlir::Value acc = {},
                    bool transposeB = false, int64_t bFirst = 0,
                    bool negate = false);
  void wgmmaCommit();
  llvm::SmallVector<mlir::Value> wgmmaWait(int64_t pending,
                                           mlir::ValueRange values);

  // Structure.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>()>;
  llvm::SmallVector<mlir::Value> role(llvm::StringRef name, int64_t warps,
                                      int64_t registers,
                                      mlir::TypeRange results, Body body,
                                      llvm::StringRef with = {},
                                      int64_t lag = 0);
  /// for i in 0 .. count; the body maps (i, values) to the next values.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value count, mlir::ValueRange values,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body);
  /// What a load needs; `rowStride` may be null.
  struct Source {
    mlir::RankedTensorType type;
    mlir::Value base, offset;
    int64_t alignment;
    mlir::Value rowStride;
  };
  /// Loads where `condition` holds, zeros elsewhere; all under one branch, so
  /// that they are under way together.
  llvm::SmallVector<mlir::Value> loadAllIf(mlir::Value condition,
                                           llvm::ArrayRef<Source> sources);
  void when(mlir::Value condition, llvm::function_ref<void()> body);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  std::pair<mlir::Value, mlir::Value> alike(mlir::Value x, mlir::Value y);
};

} // namespace k3

#endif // K3_LIB_SCHEDULE_TILEBUILDER_H
