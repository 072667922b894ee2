// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shorthand for writing k3t programs in C++.

#include "TileBuilder.h"

#include <cmath>

using namespace mlir;
using namespace k3;
using namespace k3::tile;

using Tile = RankedTensorType;

static Tile tileType(Value value) { return cast<Tile>(value.getType()); }

Attribute TileBuilder::blocked(Ints size, Ints lanes, Ints warps) {
  return BlockedAttr::get(b.getContext(), size, lanes, warps);
}
Attribute TileBuilder::acc() { return AccAttr::get(b.getContext()); }
Attribute TileBuilder::slice(int64_t axis, Attribute parent) {
  return SliceAttr::get(b.getContext(), axis, parent);
}
Tile TileBuilder::f32(Ints shape, Attribute layout) {
  return Tile::get(shape, b.getF32Type(), layout);
}
Tile TileBuilder::bf16(Ints shape, Attribute layout) {
  return Tile::get(shape, b.getBF16Type(), layout);
}
Type TileBuilder::globalOf(Type element) {
  return GlobalType::get(b.getContext(), element);
}

Value TileBuilder::i32(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}
Value TileBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}
Value TileBuilder::f32(double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}
Value TileBuilder::wide(Value x) {
  return arith::ExtSIOp::create(b, loc, b.getI64Type(), x);
}

/// Makes one of two operands a tile, or a constant of the other one's width.
std::pair<Value, Value> TileBuilder::alike(Value x, Value y) {
  if (isa<Tile>(x.getType()) && !isa<Tile>(y.getType()))
    return {x, splat(y, tileType(x))};
  if (isa<Tile>(y.getType()) && !isa<Tile>(x.getType()))
    return {splat(x, tileType(y)), y};
  return {x, y};
}

Value TileBuilder::add(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::AddIOp::create(b, loc, l, r);
}
Value TileBuilder::sub(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::SubIOp::create(b, loc, l, r);
}
Value TileBuilder::mul(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::MulIOp::create(b, loc, l, r);
}
Value TileBuilder::less(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, l, r);
}
Value TileBuilder::atLeast(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, l, r);
}
Value TileBuilder::select(Value condition, Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::SelectOp::create(b, loc, condition, l, r);
}
Value TileBuilder::element(Value base, Value offset) {
  return LoadScalarOp::create(
      b, loc, cast<GlobalType>(base.getType()).getElementType(), base, offset);
}

Value TileBuilder::plus(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::AddFOp::create(b, loc, l, r);
}
Value TileBuilder::minus(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::SubFOp::create(b, loc, l, r);
}
Value TileBuilder::times(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::MulFOp::create(b, loc, l, r);
}
Value TileBuilder::fma(Value x, Value y, Value z) {
  return plus(times(x, y), z);
}
Value TileBuilder::exp2(Value x) { return math::Exp2Op::create(b, loc, x); }
Value TileBuilder::rsqrt(Value x) { return math::RsqrtOp::create(b, loc, x); }
Value TileBuilder::reciprocal(Value x) {
  auto [l, r] = alike(f32(1.0), x);
  return arith::DivFOp::create(b, loc, l, r);
}
Value TileBuilder::sigmoid(Value x) {
  return reciprocal(plus(exp2(times(x, f32(-M_LOG2E))), f32(1.0)));
}
Value TileBuilder::silu(Value x) { return times(x, sigmoid(x)); }
/// max(x, 0) + ln(1 + e^-|x|)
Value TileBuilder::softplus(Value x) {
  Value zero = f32(0.0);
  auto [l, r] = alike(x, zero);
  Value positive = arith::MaximumFOp::create(b, loc, l, r);
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value rest = plus(exp2(times(magnitude, f32(-M_LOG2E))), f32(1.0));
  Value logarithm = math::Log2Op::create(b, loc, rest);
  return fma(logarithm, f32(M_LN2), positive);
}
Value TileBuilder::extend(Value x) {
  Tile type = tileType(x);
  return arith::ExtFOp::create(b, loc, f32(type.getShape(), type.getEncoding()),
                               x);
}
Value TileBuilder::truncate(Value x) {
  Tile type = tileType(x);
  return arith::TruncFOp::create(b, loc,
                                 bf16(type.getShape(), type.getEncoding()), x);
}
Value TileBuilder::splat(Value scalar, Tile type) {
  return SplatOp::create(
      b, loc, Tile::get(type.getShape(), scalar.getType(), type.getEncoding()),
      scalar);
}
Value TileBuilder::zeros(Tile type) { return splat(f32(0.0), type); }
Value TileBuilder::iota(int64_t axis, Tile like) {
  return IotaOp::create(
      b, loc, Tile::get(like.getShape(), b.getI32Type(), like.getEncoding()),
      axis);
}

Value TileBuilder::blockId() {
  return BlockIdOp::create(b, loc, b.getI32Type());
}

Value TileBuilder::warpId() { return WarpIdOp::create(b, loc, b.getI32Type()); }

static Tile without(TileBuilder &t, Tile type, int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return t.f32(shape, t.slice(axis, type.getEncoding()));
}
Value TileBuilder::sum(Value x, int64_t axis) {
  return ReduceOp::create(b, loc, without(*this, tileType(x), axis), x, axis);
}
Value TileBuilder::scan(Value x, int64_t axis) {
  return ScanOp::create(b, loc, x.getType(), x, axis);
}
Value TileBuilder::last(Value x, int64_t axis) {
  return LastOp::create(b, loc, without(*this, tileType(x), axis), x, axis);
}
Value TileBuilder::broadcast(Value x, Tile type) {
  return BroadcastOp::create(b, loc, type, x);
}

Value TileBuilder::concat(Value left, Value right) {
  Tile l = tileType(left), r = tileType(right);
  return ConcatOp::create(
      b, loc,
      Tile::get({l.getShape()[0], l.getShape()[1] + r.getShape()[1]},
                l.getElementType(), acc()),
      left, right);
}
Value TileBuilder::bitAnd(Value x, Value y) {
  auto [l, r] = alike(x, y);
  return arith::AndIOp::create(b, loc, l, r);
}

Value TileBuilder::load(Tile type, Value base, Value offset, int64_t alignment,
                        Value rowStride, Value rows, Value cols) {
  return LoadOp::create(b, loc, type, base, offset, rowStride, rows, cols,
                        b.getI64IntegerAttr(alignment));
}
void TileBuilder::store(Value tile, Value base, Value offset, int64_t alignment,
                        Value rowStride, Value rows, Value cols,
                        int64_t segment) {
  StoreOp::create(b, loc, tile, base, offset, rowStride, rows, cols,
                  b.getI64IntegerAttr(alignment), b.getI64IntegerAttr(segment));
}
Value TileBuilder::shared(Ints shape, Type element, bool swizzle,
                          int64_t stages, int64_t pad, Value over) {
  auto type =
      SharedType::get(b.getContext(), shape, element, swizzle, pad, stages);
  return AllocSharedOp::create(b, loc, type, over);
}
Value TileBuilder::stage(Value buffer, Value index) {
  return StageOp::create(b, loc, buffer, index);
}
Value TileBuilder::loadShared(Tile type, Value buffer, int64_t firstRow,
                              int64_t segment) {
  return LoadSharedOp::create(b, loc, type, buffer, /*transpose=*/false,
                              /*repeat=*/false, firstRow, segment);
}
Value TileBuilder::loadTransposed(Tile type, Value buffer, int64_t firstRow) {
  return LoadSharedOp::create(b, loc, type, buffer, /*transpose=*/true,
                              /*repeat=*/false, firstRow, 0);
}
Value TileBuilder::loadRepeated(Tile type, Value buffer) {
  return LoadSharedOp::create(b, loc, type, buffer, /*transpose=*/false,
                              /*repeat=*/true, 0, 0);
}
void TileBuilder::storeShared(Value tile, Value buffer, int64_t firstRow,
                              int64_t segment, int64_t limit) {
  auto op = StoreSharedOp::create(b, loc, tile, buffer);
  if (limit)
    op.setLimit(limit);
  op.setFirstRow(firstRow);
  op.setSegment(segment);
}
void TileBuilder::storeTransposed(Value tile, Value buffer, int64_t firstRow) {
  auto op = StoreSharedOp::create(b, loc, tile, buffer);
  op.setTranspose(true);
  op.setFirstRow(firstRow);
}
void TileBuilder::storeOfWarpgroup(int64_t group, Value tile, Value buffer,
                                   int64_t firstColumn) {
  auto op = StoreSharedOp::create(b, loc, tile, buffer);
  op.setWarpgroup(group);
  op.setFirstColumn(firstColumn);
}
void TileBuilder::copyAsync(Value base, Value offset, Value rowStride,
                            Value rows, Value buffer) {
  CopyAsyncOp::create(b, loc, base, offset, rowStride, rows, buffer);
}
void TileBuilder::barrier(bool warpgroup) {
  BarrierOp::create(b, loc, warpgroup);
}
void TileBuilder::fenceShared() { FenceSharedOp::create(b, loc); }

SmallVector<Value> TileBuilder::wgmmaFence(ValueRange values) {
  return SmallVector<Value>(WgmmaFenceOp::create(b, loc, values).getResults());
}
Value TileBuilder::wgmma(Tile type, ValueRange a, ValueRange bBuffers,
                         Value acc, bool transposeB, int64_t bFirst,
                         bool negate) {
  return WgmmaOp::create(b, loc, type, a, bBuffers, acc, transposeB, negate,
                         bFirst);
}
void TileBuilder::wgmmaCommit() { WgmmaCommitOp::create(b, loc); }
SmallVector<Value> TileBuilder::wgmmaWait(int64_t pending, ValueRange values) {
  return SmallVector<Value>(
      WgmmaWaitOp::create(b, loc, values, pending).getResults());
}

SmallVector<Value> TileBuilder::role(StringRef name, int64_t warps,
                                     int64_t registers, TypeRange results,
                                     Body body, StringRef with, int64_t lag) {
  auto op =
      RoleOp::create(b, loc, results, b.getStringAttr(name),
                     b.getI64IntegerAttr(warps), b.getI64IntegerAttr(registers),
                     with.empty() ? StringAttr() : b.getStringAttr(with),
                     b.getI64IntegerAttr(lag));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&op.getBody());
  YieldOp::create(b, loc, body());
  return SmallVector<Value>(op.getResults());
}

SmallVector<Value> TileBuilder::loop(
    Value count, ValueRange values,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(b, loc, i32(0), count, i32(1), values);
  OpBuilder::InsertionGuard guard(b);
  if (values.empty())
    op.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(op.getBody());
  scf::YieldOp::create(b, loc,
                       body(op.getInductionVar(), op.getRegionIterArgs()));
  return SmallVector<Value>(op.getResults());
}

SmallVector<Value> TileBuilder::loadAllIf(Value condition,
                                          ArrayRef<Source> sources) {
  SmallVector<Type> types;
  for (const Source &source : sources)
    types.push_back(source.type);
  auto op =
      scf::IfOp::create(b, loc, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> loaded, zeros;
  b.setInsertionPointToEnd(op.thenBlock());
  for (const Source &source : sources)
    loaded.push_back(load(source.type, source.base, source.offset,
                          source.alignment, source.rowStride));
  scf::YieldOp::create(b, loc, loaded);
  b.setInsertionPointToEnd(op.elseBlock());
  for (const Source &source : sources)
    zeros.push_back(arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(cast<ShapedType>(Type(source.type)),
                               b.getZeroAttr(source.type.getElementType()))));
  scf::YieldOp::create(b, loc, zeros);
  return SmallVector<Value>(op.getResults());
}

void TileBuilder::when(Value condition, llvm::function_ref<void()> body) {
  auto op = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op.thenBlock()->getTerminator());
  body();
}
