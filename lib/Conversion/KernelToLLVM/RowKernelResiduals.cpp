// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of sums, attention residuals, slices and embeddings.

#include "RowKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace k3 {

void emitRow(RowKernel &kernel, AddOp op) {
  kernel.compute(
      {{kernel.rowOf(op.getLhs())}, {kernel.rowOf(op.getRhs())}},
      kernel.rowOf(op.getResult()),
      [](RowMath &math, ValueRange in) { return math.add(in[0], in[1]); });
}

static Value firstOf(RowKernel &kernel, Value memref) {
  return memref::LoadOp::create(kernel.b, kernel.loc, memref,
                                kernel.frame.constant(0));
}

/// The score of one source. The root mean square is a common factor of its
/// terms, so it is taken once.
static Value sourceScore(RowKernel &kernel, AttnResOp op, Value source) {
  Value squares = kernel.reduce(
      Reduction::Sum, {{source}},
      [](RowMath &math, ValueRange in) { return math.mul(in[0], in[0]); });
  Value dot = kernel.reduce(Reduction::Sum,
                            {{source},
                             {kernel.whole(op.getNormWeight()), Along::Channel},
                             {kernel.whole(op.getQuery()), Along::Channel}},
                            [](RowMath &math, ValueRange in) {
                              return math.mul(math.mul(in[0], in[1]), in[2]);
                            });
  RowMath math(kernel.b, kernel.loc);
  auto type = cast<RankedTensorType>(op.getPrefix().getType());
  Value mean = math.div(firstOf(kernel, squares), double(type.getDimSize(1)));
  Value inverse = math.rsqrt(math.add(mean, op.getEps().convertToDouble()));
  return math.mul(firstOf(kernel, dot), inverse);
}

void emitRow(RowKernel &kernel, AttnResOp op) {
  SmallVector<RowInput> sources;
  for (Value block : op.getBlocks())
    sources.push_back({kernel.rowOf(block)});
  sources.push_back({kernel.rowOf(op.getPrefix())});
  RowMath math(kernel.b, kernel.loc);
  SmallVector<Value> weights;
  for (const RowInput &source : sources)
    weights.push_back(sourceScore(kernel, op, source.memref));
  Value best = weights.front();
  for (Value score : ArrayRef(weights).drop_front())
    best = math.max(best, score);
  Value total;
  for (Value &weight : weights) {
    weight = math.exp(math.sub(weight, best));
    total = total ? math.add(total, weight) : weight;
  }
  for (Value &weight : weights)
    weight = math.div(weight, total);
  kernel.compute(sources, kernel.rowOf(op.getResult()),
                 [&](RowMath &inner, ValueRange in) {
                   Value sum;
                   for (auto [weight, value] : llvm::zip_equal(weights, in)) {
                     Value term = inner.mul(weight, value);
                     sum = sum ? inner.add(sum, term) : term;
                   }
                   return sum;
                 });
}

static void copy(RowKernel &kernel, Value from, Value to) {
  kernel.compute({{from}}, to, [](RowMath &, ValueRange in) { return in[0]; });
}

void emitRow(RowKernel &kernel, SliceOp op) {
  OpBuilder &b = kernel.b;
  Value x = kernel.rowOf(op.getX()), result = kernel.rowOf(op.getResult());
  auto shape = cast<MemRefType>(result.getType()).getShape();
  SmallVector<OpFoldResult> offsets{b.getIndexAttr(0),
                                    b.getIndexAttr(op.getOffset())};
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(shape[0]),
                                  b.getIndexAttr(shape[1])};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  Value part =
      memref::SubViewOp::create(b, kernel.loc, x, offsets, sizes, strides);
  copy(kernel, part, result);
}

void emitRow(RowKernel &kernel, EmbeddingOp op) {
  OpBuilder &b = kernel.b;
  Value id = memref::LoadOp::create(b, kernel.loc, kernel.whole(op.getIds()),
                                    kernel.row);
  Value index = arith::IndexCastOp::create(b, kernel.loc, b.getIndexType(), id);
  Value table = kernel.whole(op.getTable());
  auto type = cast<MemRefType>(table.getType());
  SmallVector<OpFoldResult> offsets{index, b.getIndexAttr(0)};
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(1),
                                  b.getIndexAttr(type.getDimSize(1))};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  Value entry =
      memref::SubViewOp::create(b, kernel.loc, table, offsets, sizes, strides);
  copy(kernel, entry, kernel.rowOf(op.getResult()));
}

} // namespace k3
