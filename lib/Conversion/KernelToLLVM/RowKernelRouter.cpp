// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of k3.router. Scores are compared as integers, so that NaN, experts of
// other groups and experts already chosen have their place in one order.

#include "RowKernel.h"
#include "VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace k3 {

namespace {

// Keys below that of minus infinity.
constexpr int32_t chosenKey = std::numeric_limits<int32_t>::min();
constexpr int32_t excludedKey = chosenKey + 1;
constexpr int32_t nanKey = chosenKey + 2;

class RouterRow {
public:
  RouterRow(RowKernel &kernel, RouterOp op)
      : kernel(kernel), math(kernel.frame), b(kernel.b), loc(kernel.loc),
        op(op),
        experts(
            cast<RankedTensorType>(op.getLogits().getType()).getDimSize(1)) {}

  void emit();

private:
  void emitScores();
  void emitKeys();
  void keepBestGroups();
  void choose();
  void weigh();

  Value i32(int32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value scratch(int64_t size, Type element) {
    return kernel.frame.scratch(MemRefType::get({1, size}, element));
  }
  Value at(Value memref, Value index) {
    return memref::LoadOp::create(b, loc, memref,
                                  ValueRange{math.index(0), index});
  }
  void put(Value value, Value memref, Value index) {
    memref::StoreOp::create(b, loc, value, memref,
                            ValueRange{math.index(0), index});
  }
  Value keyOf(OpBuilder &builder, Value score);
  /// The index of the largest key in [from, to); the lowest of equal ones.
  Value largest(Value keys, Value from, Value to);
  struct Best {
    Value index, key;
  };
  /// ... when it is larger than that of `start`, else `start`.
  Best largest(Value keys, Value from, Value to, Best start);
  /// The index of the largest of all keys.
  Value largestExpert();
  Value groupKey(Value group);

  RowKernel &kernel;
  VectorMath math;
  OpBuilder &b;
  Location loc;
  RouterOp op;
  int64_t experts;
  Value scores, biased, keys;
};

/// s: what the weights are made of.
void RouterRow::emitScores() {
  Value logits = kernel.rowOf(op.getLogits());
  scores = scratch(experts, b.getF32Type());
  if (op.getActivation() == "sigmoid") {
    kernel.compute({{logits}}, scores, [](RowMath &math, ValueRange in) {
      return math.sigmoid(in[0]);
    });
    return;
  }
  Value best = kernel.reduce(Reduction::Max, {{logits}},
                             [](RowMath &, ValueRange in) { return in[0]; });
  kernel.compute({{logits}, {best, Along::Head}}, scores,
                 [](RowMath &math, ValueRange in) {
                   return math.exp(math.sub(in[0], in[1]));
                 });
  Value total = kernel.reduce(Reduction::Sum, {{scores}},
                              [](RowMath &, ValueRange in) { return in[0]; });
  kernel.compute(
      {{scores}, {total, Along::Head}}, scores,
      [](RowMath &math, ValueRange in) { return math.div(in[0], in[1]); });
}

/// An integer with the order of `score`: negative numbers have their size bits
/// inverted. Adding zero makes -0 equal to 0.
Value RouterRow::keyOf(OpBuilder &builder, Value score) {
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0f));
  Value sum = arith::AddFOp::create(builder, loc, score, zero);
  Value bits =
      arith::BitcastOp::create(builder, loc, builder.getI32Type(), sum);
  Value sign = arith::ShRSIOp::create(builder, loc, bits, constant(31));
  Value mask = arith::AndIOp::create(builder, loc, sign, constant(0x7fffffff));
  Value key = arith::XOrIOp::create(builder, loc, bits, mask);
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      score, score);
  return arith::SelectOp::create(builder, loc, isNan, constant(nanKey), key);
}

void RouterRow::emitKeys() {
  biased = scratch(experts, b.getF32Type());
  keys = scratch(experts, b.getI32Type());
  kernel.compute(
      {{scores}, {kernel.whole(op.getBias()), Along::Channel}}, biased,
      [](RowMath &math, ValueRange in) { return math.add(in[0], in[1]); });
  kernel.compute({{biased}}, keys, [&](RowMath &inner, ValueRange in) {
    return keyOf(inner.b, in[0]);
  });
}

RouterRow::Best RouterRow::largest(Value from, Value begin, Value end,
                                   Best start) {
  auto best =
      math.loop(begin, end, 1, {start.index, start.key},
                [&](Value index, ValueRange held) -> VectorMath::Values {
                  Value key = at(from, index);
                  Value better =
                      math.compare(arith::CmpIPredicate::sgt, key, held[1]);
                  return {math.select(better, index, held[0]),
                          math.select(better, key, held[1])};
                });
  return {best[0], best[1]};
}

Value RouterRow::largest(Value from, Value begin, Value end) {
  Best first{begin, at(from, begin)};
  return largest(from, math.add(begin, 1), end, first).index;
}

/// Each lane keeps the first of its largest keys; of the lanes with the largest
/// key, the one with the lowest index has it.
Value RouterRow::largestExpert() {
  int64_t lanes = kernel.frame.target().vectorWidth;
  int64_t whole = experts / lanes * lanes;
  if (whole < 2 * lanes)
    return largest(keys, math.index(0), math.index(experts));
  auto type = math.vectorType(lanes, b.getI32Type());
  auto indices = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(lanes)));
  Value lane = arith::ConstantOp::create(
      b, loc, DenseIntElementsAttr::get(type, ArrayRef<int32_t>(indices)));
  auto load = [&](Value index) -> Value {
    return vector::LoadOp::create(b, loc, type, keys,
                                  ValueRange{math.index(0), index});
  };
  auto best = math.loop(
      math.index(lanes), math.index(whole), lanes, {lane, load(math.index(0))},
      [&](Value index, ValueRange held) -> VectorMath::Values {
        Value key = load(index);
        Value number =
            arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
        Value numbers = math.add(lane, math.broadcast(number, lanes));
        Value better = math.compare(arith::CmpIPredicate::sgt, key, held[1]);
        return {math.select(better, numbers, held[0]),
                math.select(better, key, held[1])};
      });
  Value key = vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXSI,
                                          best[1]);
  Value has = math.compare(arith::CmpIPredicate::eq, best[1],
                           math.broadcast(key, lanes));
  Value last = math.broadcast(i32(std::numeric_limits<int32_t>::max()), lanes);
  Value index = vector::ReductionOp::create(
      b, loc, vector::CombiningKind::MINSI, math.select(has, best[0], last));
  index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  return largest(keys, math.index(whole), math.index(experts), {index, key})
      .index;
}

/// The key of the sum of the group's two best biased scores.
Value RouterRow::groupKey(Value group) {
  int64_t size = experts / op.getNumExpertGroup();
  Value begin = math.mul(group, size);
  Value end = math.add(begin, size);
  Value first = largest(keys, begin, end);
  Value held = at(keys, first);
  put(i32(chosenKey), keys, first);
  Value second = largest(keys, begin, end);
  put(held, keys, first);
  return keyOf(b, math.addF(at(biased, first), at(biased, second)));
}

void RouterRow::keepBestGroups() {
  int64_t groups = op.getNumExpertGroup(), size = experts / groups;
  if (groups == 1)
    return;
  Value groupKeys = scratch(groups, b.getI32Type());
  Value count = math.index(groups);
  math.loop(math.index(0), count, 1,
            [&](Value group) { put(groupKey(group), groupKeys, group); });
  math.loop(math.index(0), math.index(op.getTopkGroup()), 1, [&](Value) {
    Value group = largest(groupKeys, math.index(0), count);
    put(i32(chosenKey), groupKeys, group);
  });
  math.loop(math.index(0), math.index(experts), 1, [&](Value expert) {
    Value kept =
        math.compare(arith::CmpIPredicate::eq,
                     at(groupKeys, math.div(expert, size)), i32(chosenKey));
    Value key = math.select(kept, at(keys, expert), i32(excludedKey));
    put(key, keys, expert);
  });
}

void RouterRow::choose() {
  Value ids = kernel.rowOf(op.getIds()),
        weights = kernel.rowOf(op.getWeights());
  math.loop(math.index(0), math.index(op.getTopK()), 1, [&](Value rank) {
    Value expert = largestExpert();
    put(i32(chosenKey), keys, expert);
    put(arith::IndexCastOp::create(b, loc, b.getI32Type(), expert), ids, rank);
    put(at(scores, expert), weights, rank);
  });
}

void RouterRow::weigh() {
  Value weights = kernel.rowOf(op.getWeights());
  double factor = op.getRoutedScalingFactor().convertToDouble();
  if (!op.getRenormalize()) {
    kernel.compute({{weights}}, weights, [&](RowMath &math, ValueRange in) {
      return math.mul(in[0], factor);
    });
    return;
  }
  Value total = kernel.reduce(Reduction::Sum, {{weights}},
                              [](RowMath &, ValueRange in) { return in[0]; });
  kernel.compute({{weights}, {total, Along::Head}}, weights,
                 [&](RowMath &math, ValueRange in) {
                   Value share = math.div(in[0], math.add(in[1], 1e-20));
                   return math.mul(share, factor);
                 });
}

void RouterRow::emit() {
  // Rows are made where every later op sees them.
  kernel.rowOf(op.getIds());
  kernel.rowOf(op.getWeights());
  emitScores();
  emitKeys();
  keepBestGroups();
  choose();
  weigh();
}

} // namespace

void emitRow(RowKernel &kernel, RouterOp op) { RouterRow(kernel, op).emit(); }

} // namespace k3
