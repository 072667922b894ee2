// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.latent_attend: one workgroup a token and group of heads; online softmax
// over the cached rows in blocks that start at multiples of the block size, so
// the order of every sum depends on positions only.

#include "Anchors.h"
#include "VectorMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace k3 {

namespace {
constexpr int64_t lanes = 16;
constexpr int64_t block = 16; // cached rows of one softmax step

/// What one workgroup works on.
struct Attend {
  VectorMath &math;
  LatentAttendOp op;
  Value q, cache, result;
  int64_t row, latent, heads, group;
  Value scores; // [group, block]
  Value sums;   // [group, latent]
  Value maxima; // [group, 2]: running maximum and denominator

  void emit(Value token, Value slot, Value rows, Value firstHead,
            int64_t count);
  void score(Value token, Value slot, Value head, Value local, Value j,
             Value column);
  void fold(Value slot, Value local, Value first, Value used);
};
} // namespace

void Attend::score(Value token, Value slot, Value head, Value local, Value j,
                   Value column) {
  int64_t whole = row / lanes * lanes;
  Value total = math.scalar(0.0);
  if (whole > 0)
    total = math.sumLanes(
        math.loop(math.index(0), math.index(whole), lanes,
                  {math.splat(0.0, lanes)},
                  [&](Value i, ValueRange sum) -> VectorMath::Values {
                    return {math.fma(math.load(q, {token, head, i}, lanes),
                                     math.load(cache, {slot, j, i}, lanes),
                                     sum[0])};
                  })
            .front());
  for (int64_t i = whole; i < row; ++i)
    total = math.fma(math.loadScalar(q, {token, head, math.index(i)}),
                     math.loadScalar(cache, {slot, j, math.index(i)}), total);
  Value scaled = math.mulF(total, math.scalar(op.getScale().convertToDouble()));
  math.storeScalar(scaled, scores, {local, column});
}

/// Takes the block's scores into the running maximum, denominator and sums.
/// Columns from `used` on hold minus infinity and add exact zeros.
void Attend::fold(Value slot, Value local, Value first, Value used) {
  Value zero = math.index(0), one = math.index(1);
  Value vector = math.load(scores, {local, zero}, block);
  Value peak = vector::ReductionOp::create(
      math.b, math.loc, vector::CombiningKind::MAXIMUMF, vector);
  Value before = math.loadScalar(maxima, {local, zero});
  Value now = arith::MaximumFOp::create(math.b, math.loc, before, peak);
  Value shrink = math.exp(math.subF(before, now));
  Value weights = math.exp(math.subF(vector, math.broadcast(now, block)));
  math.store(weights, scores, {local, zero});
  Value mass = math.fma(math.loadScalar(maxima, {local, one}), shrink,
                        math.sumLanes(weights));
  math.storeScalar(now, maxima, {local, zero});
  math.storeScalar(mass, maxima, {local, one});
  auto column = [&](Value l, int64_t width) {
    Value sum = math.mulF(math.load(sums, {local, l}, width),
                          math.broadcast(shrink, width));
    sum = math.loop(zero, used, 1, {sum},
                    [&](Value j, ValueRange carried) -> VectorMath::Values {
                      Value weight = math.loadSplat(scores, {local, j}, width);
                      Value value = math.load(
                          cache, {slot, math.add(first, j), l}, width);
                      return {math.fma(weight, value, carried[0])};
                    })
              .front();
    math.store(sum, sums, {local, l});
  };
  forEachBlock(math, latent, lanes, column);
}

void Attend::emit(Value token, Value slot, Value rows, Value firstHead,
                  int64_t count) {
  Value zero = math.index(0);
  constexpr double lowest = -std::numeric_limits<float>::infinity();
  math.loop(zero, math.index(count), 1, [&](Value local) {
    // The lowest finite number: infinity minus infinity would be NaN.
    math.storeScalar(math.scalar(std::numeric_limits<float>::lowest()), maxima,
                     {local, zero});
    math.storeScalar(math.scalar(0.0), maxima, {local, math.index(1)});
    forEachBlock(math, latent, lanes, [&](Value l, int64_t width) {
      math.store(math.splat(0.0, width), sums, {local, l});
    });
  });
  math.loop(zero, rows, block, [&](Value first) {
    Value used = math.min(math.sub(rows, first), math.index(block));
    math.loop(zero, math.index(count), 1, [&](Value local) {
      Value head = math.add(firstHead, local);
      math.store(math.splat(lowest, block), scores, {local, zero});
      math.loop(zero, used, 1, [&](Value column) {
        score(token, slot, head, local, math.add(first, column), column);
      });
      fold(slot, local, first, used);
    });
  });
  math.loop(zero, math.index(count), 1, [&](Value local) {
    Value inverse = math.divF(math.scalar(1.0),
                              math.loadScalar(maxima, {local, math.index(1)}));
    forEachBlock(math, latent, lanes, [&](Value l, int64_t width) {
      Value value = math.mulF(math.load(sums, {local, l}, width),
                              math.broadcast(inverse, width));
      math.store(value, result, {token, math.add(firstHead, local), l});
    });
  });
}

FailureOr<KernelGrid> lowerLatentAttend(KernelFrame &frame, LatentAttendOp op) {
  VectorMath math(frame);
  auto qType = cast<RankedTensorType>(op.getQ().getType());
  auto outType = cast<RankedTensorType>(op.getResult().getType());
  int64_t heads = qType.getDimSize(1), latent = outType.getDimSize(2);
  int64_t group = heads % 4 == 0 ? 4 : heads % 2 == 0 ? 2 : 1;
  int64_t groups = heads / group;
  Type f32 = math.b.getF32Type();
  Attend attend{math,
                op,
                frame.bufferOf(op.getQ()),
                frame.bufferOf(op.getCache()),
                frame.bufferOf(op.getResult()),
                qType.getDimSize(2),
                latent,
                heads,
                group,
                frame.scratch(MemRefType::get({group, block}, f32)),
                frame.scratch(MemRefType::get({group, latent}, f32)),
                frame.scratch(MemRefType::get({group, 2}, f32))};
  Value token = math.div(frame.workgroup(), groups);
  Value firstHead = math.mul(math.rem(frame.workgroup(), groups), group);
  Value bounds = frame.bufferOf(op.getCuSeqlens());
  Value number =
      math.sequenceOfToken(token, bounds, frame.sizeOf(op.getSlots(), 0));
  VectorMath::Sequence seq =
      math.sequence(number, bounds, frame.bufferOf(op.getSlots()),
                    frame.bufferOf(op.getContextLens()));
  Value rows = math.add(math.add(seq.context, math.sub(token, seq.begin)), 1);
  math.when(
      math.compare(arith::CmpIPredicate::sge, seq.slot, math.index(0)),
      [&] { attend.emit(token, seq.slot, rows, firstHead, group); },
      [&] {
        math.loop(math.index(0), math.index(group), 1, [&](Value local) {
          forEachBlock(math, latent, lanes, [&](Value l, int64_t width) {
            math.store(math.splat(0.0, width), attend.result,
                       {token, math.add(firstHead, local), l});
          });
        });
      });
  return KernelGrid{op.getQ(), 0, 1, groups};
}

} // namespace k3
