// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short words for index arithmetic, loops and fp32 vectors.

#include "VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace k3 {

Value VectorMath::index(int64_t value) { return frame.constant(value); }

Value VectorMath::add(Value lhs, Value rhs) {
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

Value VectorMath::sub(Value lhs, Value rhs) {
  return arith::SubIOp::create(b, loc, lhs, rhs);
}

Value VectorMath::mul(Value lhs, int64_t rhs) {
  return arith::MulIOp::create(b, loc, lhs, index(rhs));
}

Value VectorMath::min(Value lhs, Value rhs) {
  return arith::MinSIOp::create(b, loc, lhs, rhs);
}

Value VectorMath::div(Value lhs, int64_t rhs) {
  return arith::DivUIOp::create(b, loc, lhs, index(rhs));
}

Value VectorMath::rem(Value lhs, int64_t rhs) {
  return arith::RemUIOp::create(b, loc, lhs, index(rhs));
}

Value VectorMath::compare(arith::CmpIPredicate predicate, Value lhs,
                          Value rhs) {
  return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
}

Value VectorMath::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, loc, condition, yes, no);
}

Value VectorMath::loadIndex(Value memref, ValueRange indices) {
  Value value = memref::LoadOp::create(b, loc, memref, indices);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

void VectorMath::loop(Value from, Value to, int64_t step,
                      llvm::function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(b, loc, from, to, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

VectorMath::Values
VectorMath::loop(Value from, Value to, int64_t step, ValueRange inits,
                 llvm::function_ref<Values(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(
      b, loc, from, to, index(step), inits,
      [&](OpBuilder &, Location, Value iv, ValueRange carried) {
        // `body` emits through `b`, whose insertion point the loop's builder
        // does not share.
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(iv.getParentBlock());
        scf::YieldOp::create(b, loc, body(iv, carried));
      });
  return Values(op.getResults());
}

void VectorMath::when(Value condition, llvm::function_ref<void()> yes,
                      llvm::function_ref<void()> no) {
  auto op = scf::IfOp::create(b, loc, condition, bool(no));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  yes();
  if (!no)
    return;
  b.setInsertionPointToStart(op.elseBlock());
  no();
}

VectorType VectorMath::vectorType(int64_t lanes, Type element) {
  return VectorType::get({lanes}, element ? element : b.getF32Type());
}

Value VectorMath::splat(double value, int64_t lanes) {
  VectorType type = vectorType(lanes);
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(float(value))));
}

Value VectorMath::broadcast(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(
      b, loc, vectorType(lanes, scalar.getType()), scalar);
}

Value VectorMath::scalar(double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
}

Value VectorMath::firstLanes(Value vector, int64_t lanes) {
  if (cast<VectorType>(vector.getType()).getNumElements() == lanes)
    return vector;
  SmallVector<int64_t> kept = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  return vector::ShuffleOp::create(b, loc, vector, vector, kept);
}

/// fp32 of the same shape.
static Type widened(Type type, Type f32) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(f32);
  return f32;
}

static Value widen(OpBuilder &b, Location loc, Value value) {
  if (getElementTypeOrSelf(value.getType()).isF32())
    return value;
  return arith::ExtFOp::create(b, loc, widened(value.getType(), b.getF32Type()),
                               value);
}

static Value narrow(OpBuilder &b, Location loc, Value value, Type element) {
  if (element.isF32())
    return value;
  return arith::TruncFOp::create(b, loc, widened(value.getType(), element),
                                 value);
}

static Type elementOf(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementType();
}

Value VectorMath::load(Value memref, ValueRange indices, int64_t lanes) {
  Value value = vector::LoadOp::create(
      b, loc, vectorType(lanes, elementOf(memref)), memref, indices);
  return widen(b, loc, value);
}

void VectorMath::store(Value vector, Value memref, ValueRange indices) {
  vector::StoreOp::create(b, loc, narrow(b, loc, vector, elementOf(memref)),
                          memref, indices);
}

Value VectorMath::loadScalar(Value memref, ValueRange indices) {
  return widen(b, loc, memref::LoadOp::create(b, loc, memref, indices));
}

void VectorMath::storeScalar(Value scalar, Value memref, ValueRange indices) {
  memref::StoreOp::create(b, loc, narrow(b, loc, scalar, elementOf(memref)),
                          memref, indices);
}

Value VectorMath::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, loc, x, y, z);
}

Value VectorMath::addF(Value lhs, Value rhs) {
  return arith::AddFOp::create(b, loc, lhs, rhs);
}

Value VectorMath::subF(Value lhs, Value rhs) {
  return arith::SubFOp::create(b, loc, lhs, rhs);
}

Value VectorMath::mulF(Value lhs, Value rhs) {
  return arith::MulFOp::create(b, loc, lhs, rhs);
}

Value VectorMath::divF(Value lhs, Value rhs) {
  return arith::DivFOp::create(b, loc, lhs, rhs);
}

Value VectorMath::exp(Value x) { return math::ExpOp::create(b, loc, x); }

Value VectorMath::tanh(Value x) { return math::TanhOp::create(b, loc, x); }

Value VectorMath::oneMinusExp(Value x) {
  int64_t lanes = cast<VectorType>(x.getType()).getNumElements();
  auto number = [&](double value) { return splat(value, lanes); };
  // -x (1 + x/2 (1 + x/3 (... (1 + x/8)))): 1e-8 within [-0.4, 0.4].
  Value series = number(1.0);
  for (int64_t i = 8; i >= 2; --i)
    series = fma(mulF(x, number(1.0 / double(i))), series, number(1.0));
  series = mulF(subF(number(0.0), x), series);
  Value far = subF(number(1.0), exp(x));
  Value size = math::AbsFOp::create(b, loc, x);
  Value isNear = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                       number(0.4));
  return select(isNear, series, far);
}

Value VectorMath::sigmoid(Value x) {
  Value one = scalar(1.0);
  if (auto type = dyn_cast<VectorType>(x.getType()))
    one = broadcast(one, type.getNumElements());
  Value e = exp(arith::NegFOp::create(b, loc, x));
  return divF(one, addF(one, e));
}

Value VectorMath::silu(Value x) { return mulF(x, sigmoid(x)); }

Value VectorMath::sumLanes(Value vector) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  while (lanes > 1) {
    int64_t half = lanes / 2;
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(i + half);
    }
    Value lowHalf = vector::ShuffleOp::create(b, loc, vector, vector, low);
    Value highHalf = vector::ShuffleOp::create(b, loc, vector, vector, high);
    vector = addF(lowHalf, highHalf);
    lanes = half;
  }
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}

Value VectorMath::roundTo(Value vector, Type element) {
  return widen(b, loc, narrow(b, loc, vector, element));
}

VectorMath::Sequence VectorMath::sequence(Value number, Value cuSeqlens,
                                          Value slots, Value contextLens) {
  return {number, loadIndex(cuSeqlens, number),
          loadIndex(cuSeqlens, add(number, 1)), loadIndex(slots, number),
          loadIndex(contextLens, number)};
}

Value VectorMath::sequenceOfToken(Value token, Value cuSeqlens, Value count) {
  // The last n with cu_seqlens[n] <= token, so that empty sequences are passed
  // over.
  return loop(index(0), count, 1, {index(0)},
              [&](Value n, ValueRange found) -> Values {
                Value starts = loadIndex(cuSeqlens, n);
                Value holds = compare(arith::CmpIPredicate::sle, starts, token);
                return {select(holds, n, found[0])};
              })
      .front();
}

void forEachBlock(VectorMath &math, int64_t size, int64_t lanes,
                  llvm::function_ref<void(Value, int64_t)> body) {
  int64_t whole = size / lanes * lanes;
  if (whole > 0)
    math.loop(math.index(0), math.index(whole), lanes,
              [&](Value first) { body(first, lanes); });
  if (whole < size)
    body(math.index(whole), size - whole);
}

} // namespace k3
