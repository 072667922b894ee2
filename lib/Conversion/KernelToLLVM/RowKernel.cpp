// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the rows of a workgroup, the rows of values, and the loop nests
// of formulas.

#include "RowKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3 {

namespace {
/// Numbers of the widest value in a block of rows, and rows at most: enough
/// work for a thread to pick up, small enough to share a prompt between them.
constexpr int64_t tileNumbers = 8192;
constexpr int64_t maxRows = 16;
} // namespace

//===-- Formulas ----------------------------------------------------------===//

Value RowMath::constant(double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
}
Value RowMath::add(Value x, Value y) {
  return arith::AddFOp::create(b, loc, x, y);
}
Value RowMath::sub(Value x, Value y) {
  return arith::SubFOp::create(b, loc, x, y);
}
Value RowMath::mul(Value x, Value y) {
  return arith::MulFOp::create(b, loc, x, y);
}
Value RowMath::div(Value x, Value y) {
  return arith::DivFOp::create(b, loc, x, y);
}
Value RowMath::max(Value x, Value y) {
  return arith::MaximumFOp::create(b, loc, x, y);
}
Value RowMath::neg(Value x) { return arith::NegFOp::create(b, loc, x); }
Value RowMath::exp(Value x) { return math::ExpOp::create(b, loc, x); }
Value RowMath::tanh(Value x) { return math::TanhOp::create(b, loc, x); }
Value RowMath::rsqrt(Value x) { return math::RsqrtOp::create(b, loc, x); }

Value RowMath::sigmoid(Value x) {
  return div(constant(1.0), add(exp(neg(x)), 1.0));
}

Value RowMath::softplus(Value x) {
  Value small = exp(neg(math::AbsFOp::create(b, loc, x)));
  return add(max(x, constant(0.0)), math::Log1pOp::create(b, loc, small));
}

Value RowMath::activate(Activation activation, Value x) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Sigmoid:
    return sigmoid(x);
  case Activation::Silu:
    return mul(x, sigmoid(x));
  }
  llvm_unreachable("no such activation");
}

Value RowMath::roundTo(Value x, Type element) {
  if (element.isF32())
    return x;
  Value rounded = arith::TruncFOp::create(b, loc, element, x);
  return arith::ExtFOp::create(b, loc, b.getF32Type(), rounded);
}

//===-- Loop nests --------------------------------------------------------===//

static AffineMap mapOf(Along along, MLIRContext *context) {
  AffineExpr h = getAffineDimExpr(0, context), k = getAffineDimExpr(1, context);
  switch (along) {
  case Along::Row:
    return AffineMap::get(2, 0, {h, k}, context);
  case Along::Channel:
    return AffineMap::get(2, 0, {k}, context);
  case Along::Head:
    return AffineMap::get(2, 0, {h}, context);
  }
  llvm_unreachable("no such access");
}

static Value widen(OpBuilder &b, Location loc, Value value) {
  if (!isa<FloatType>(value.getType()) || value.getType().isF32())
    return value;
  return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
}

static Value narrow(OpBuilder &b, Location loc, Value value, Type element) {
  if (value.getType() == element)
    return value;
  return arith::TruncFOp::create(b, loc, element, value);
}

void RowKernel::compute(ArrayRef<RowInput> inputs, Value out, Body body) {
  SmallVector<Value> memrefs;
  SmallVector<AffineMap> maps;
  for (const RowInput &input : inputs) {
    memrefs.push_back(input.memref);
    maps.push_back(mapOf(input.along, b.getContext()));
  }
  maps.push_back(mapOf(Along::Row, b.getContext()));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  Type element = cast<MemRefType>(out.getType()).getElementType();
  linalg::GenericOp::create(
      b, loc, memrefs, ValueRange{out}, maps, loops,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        SmallVector<Value> values;
        for (Value argument : arguments.drop_back())
          values.push_back(widen(inner, at, argument));
        RowMath math(inner, at);
        Value result = narrow(inner, at, body(math, values), element);
        linalg::YieldOp::create(inner, at, result);
      });
}

Value RowKernel::reduce(Reduction kind, ArrayRef<RowInput> inputs, Body body) {
  auto shape = cast<MemRefType>(inputs.front().memref.getType()).getShape();
  Type f32 = b.getF32Type();
  Value out = frame.scratch(MemRefType::get({shape[0]}, f32));
  float neutral =
      kind == Reduction::Sum ? 0.0f : -std::numeric_limits<float>::infinity();
  auto h = AffineMap::getMultiDimIdentityMap(1, b.getContext());
  linalg::GenericOp::create(
      b, loc, ValueRange{}, ValueRange{out}, ArrayRef<AffineMap>{h},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
      [&](OpBuilder &inner, Location at, ValueRange) {
        Value start = arith::ConstantOp::create(inner, at,
                                                inner.getF32FloatAttr(neutral));
        linalg::YieldOp::create(inner, at, start);
      });
  SmallVector<Value> memrefs;
  SmallVector<AffineMap> maps;
  for (const RowInput &input : inputs) {
    memrefs.push_back(input.memref);
    maps.push_back(mapOf(input.along, b.getContext()));
  }
  maps.push_back(mapOf(Along::Head, b.getContext()));
  linalg::GenericOp::create(
      b, loc, memrefs, ValueRange{out}, maps,
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                    utils::IteratorType::reduction},
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        SmallVector<Value> values;
        for (Value argument : arguments.drop_back())
          values.push_back(widen(inner, at, argument));
        RowMath math(inner, at);
        Value value = body(math, values);
        Value result = kind == Reduction::Sum
                           ? math.add(arguments.back(), value)
                           : math.max(arguments.back(), value);
        linalg::YieldOp::create(inner, at, result);
      });
  return out;
}

//===-- Rows of values ----------------------------------------------------===//

/// The shape of a row, [H, K].
static SmallVector<int64_t> rowShape(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape().drop_front());
  if (shape.size() == 1)
    shape.insert(shape.begin(), 1);
  return shape;
}

/// Row number `row` of a memref of rank 2 or 3.
Value RowKernel::rowOfBuffer(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(1)};
  for (int64_t size : type.getShape().drop_front())
    sizes.push_back(b.getIndexAttr(size));
  offsets[0] = row;
  if (type.getRank() == 2)
    return memref::SubViewOp::create(b, loc, buffer, offsets, sizes, strides);
  auto reduced = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, cast<MemRefType>(reduced), buffer,
                                   offsets, sizes, strides);
}

Value RowKernel::rowOf(Value tensor) {
  if (Value known = rows.lookup(tensor))
    return known;
  if (Value buffer = frame.bufferOf(tensor))
    return rows[tensor] = rowOfBuffer(buffer);
  SmallVector<int64_t> shape = rowShape(tensor);
  if (auto reshape = tensor.getDefiningOp<ReshapeOp>()) {
    Value from = rowOf(reshape.getX());
    Value view = memref::ReinterpretCastOp::create(
        b, loc,
        MemRefType::get(shape,
                        cast<MemRefType>(from.getType()).getElementType()),
        from, /*offset=*/0, shape, ArrayRef<int64_t>{shape[1], 1});
    return rows[tensor] = view;
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  return rows[tensor] =
             frame.scratch(MemRefType::get(shape, type.getElementType()));
}

/// What no op writes by itself: results that are arguments or views of them,
/// and second results of one value.
void RowKernel::copyToResults() {
  for (auto [index, value] :
       llvm::enumerate(frame.body().getTerminator()->getOperands())) {
    Value root = value;
    while (auto reshape = root.getDefiningOp<ReshapeOp>())
      root = reshape.getX();
    auto holds = [&](Value other) {
      while (auto reshape = other.getDefiningOp<ReshapeOp>())
        other = reshape.getX();
      return other == root;
    };
    bool first = llvm::none_of(
        frame.body().getTerminator()->getOperands().take_front(index), holds);
    if (first && !isa<BlockArgument>(root))
      continue;
    Value out = rowOfBuffer(frame.resultBuffer(index));
    compute({{rowOf(value)}}, out,
            [](RowMath &, ValueRange in) { return in[0]; });
  }
}

//===-- The kernel --------------------------------------------------------===//

int64_t RowKernel::rowsOfTile() {
  int64_t widest = 1;
  auto count = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() > 1 && type.isDynamicDim(0))
      widest = std::max(widest, llvm::product_of(rowShape(value)));
  };
  llvm::for_each(frame.body().getArguments(), count);
  for (Operation &op : frame.body())
    llvm::for_each(op.getResults(), count);
  int64_t rows = std::clamp<int64_t>(tileNumbers / widest, 1, maxRows);
  return llvm::bit_floor(uint64_t(rows));
}

LogicalResult RowKernel::lowerOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<RMSNormOp, GatedRMSNormOp, L2NormOp, GateOp, SigmoidOp,
            OutputGateOp, SituGluOp, SwigluOp, AddOp, AttnResOp, SliceOp,
            EmbeddingOp, RouterOp>([&](auto rowOp) {
        loc = rowOp.getLoc();
        emitRow(*this, rowOp);
        return success();
      })
      .Case([](ReshapeOp) { return success(); })
      .Default([](Operation *other) {
        return other->emitOpError("has no lowering as a row-wise op");
      });
}

FailureOr<KernelGrid> RowKernel::lower() {
  Operation *yield = frame.body().getTerminator();
  if (yield->getNumOperands() == 0)
    return yield->emitOpError("yields nothing from a row-wise kernel");
  Value counted = yield->getOperand(0);
  int64_t tile = rowsOfTile();
  Value size = frame.constant(tile);
  Value from = arith::MulIOp::create(b, loc, frame.workgroup(), size);
  Value end = arith::AddIOp::create(b, loc, from, size);
  Value to = arith::MinSIOp::create(b, loc, end, frame.sizeOf(counted, 0));
  auto loop = scf::ForOp::create(b, loc, from, to, frame.constant(1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    row = loop.getInductionVar();
    for (Operation &op : frame.body().without_terminator())
      if (failed(lowerOp(op)))
        return failure();
    copyToResults();
  }
  return KernelGrid{counted, 0, tile, 1};
}

FailureOr<KernelGrid> lowerRowKernel(KernelFrame &frame) {
  return RowKernel(frame).lower();
}

} // namespace k3
