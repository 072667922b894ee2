// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The preparation of one chunk of KDA, on eight warps.

#include "KdaChunk.h"

#include <cmath>

using namespace mlir;
using namespace k3;

Attribute KdaChunk::segments() {
  return t.blocked({1, 2, 2}, {1, 1, 32}, {4, 1, 2});
}
RankedTensorType KdaChunk::sliced() {
  return t.f32({4, slice, dim}, segments());
}
RankedTensorType KdaChunk::perSegment() {
  return t.f32({4, dim}, t.slice(1, segments()));
}
RankedTensorType KdaChunk::channels() {
  return t.f32({dim}, t.slice(0, t.slice(1, segments())));
}
Attribute KdaChunk::tokenRows() { return t.blocked({1, 8}, {8, 4}, {8, 1}); }
RankedTensorType KdaChunk::perToken() {
  return t.f32({chunk}, t.slice(1, tokenRows()));
}

Value KdaChunk::raw(Value buffer, int64_t index) {
  return t.extend(t.loadShared(t.bf16({4, slice, dim}, segments()), buffer,
                               index * slice, segment));
}
void KdaChunk::put(Value x, Value y, Value buffer, int64_t index,
                   int64_t limit) {
  t.storeShared(t.truncate(t.times(x, y)), buffer, index * slice, segment,
                limit);
}
Value KdaChunk::spread(Value perSegmentValue) {
  return t.broadcast(perSegmentValue, sliced());
}
Value KdaChunk::everySegment(Value channelValue) {
  return t.broadcast(channelValue, perSegment());
}

/// Factors take the place of the raw inputs that they are made of, element by
/// element: the thread that wrote one has read the other.
void KdaChunk::keepFactor(Factor which, Value tile, int64_t index) {
  Value buffer = which == Factor::Kd   ? gStage
                 : which == Factor::Qd ? qStage
                                       : kStage;
  t.storeShared(tile, buffer, index * slice, segment);
}
void KdaChunk::keepScores(Value bothWarpgroups) {
  t.storeOfWarpgroup(1, bothWarpgroups, scoreStage);
}
void KdaChunk::keepSolve(Value bothWarpgroups) {
  t.storeOfWarpgroup(0, bothWarpgroups, solveStage);
}
void KdaChunk::keepVectors(Value norm, Value scale) {
  t.storeShared(norm, normStage);
  t.storeShared(scale, scaleStage);
}
void KdaChunk::keepDecay(Value decay) { t.storeShared(decay, decayStage); }

void KdaChunk::allocateWork() {
  Type bf16 = t.b.getBF16Type(), full = t.b.getF32Type();
  for (Value *buffer : {&right, &left, &leftQ})
    *buffer = t.shared({chunk, dim}, bf16, true);
  far = t.shared({half, dim}, bf16, true);
  // The factors have been used before the triangle is written.
  triangle = t.shared({64, 64}, full, false, 1, /*pad=*/4, /*over=*/right);
  scratch = t.shared({32, 32}, full, false, 1, /*pad=*/4, /*over=*/left);
  totals = t.shared({4, dim}, full, false);
  rowScale = t.shared({chunk}, full, false);
}

void KdaChunk::prepareChunk(Value slope, Value offset) {
  Value logits = strengthLogits();
  SmallVector<Value> sums = decays(slope, offset);
  norms(logits);
  t.barrier();
  factors(sums);
  products();
  solve();
}

/// The sigmoid of the gate map is 1 / (1 + 2^(slope z + offset)).
SmallVector<Value> KdaChunk::gateMap() {
  Value a = t.element(aLog, t.wide(head));
  Value slope = t.times(t.exp2(t.times(a, t.f32(M_LOG2E))), t.f32(-M_LOG2E));
  Value bias = t.load(channels(), dtBias, t.wide(t.mul(head, t.i32(dim))),
                      /*alignment=*/8);
  return {slope, t.times(bias, slope)};
}

/// Sums of sigmoids inside each segment, slice by slice; leaves the totals.
/// A logarithm is the sigmoid times `unit`.
SmallVector<Value> KdaChunk::decays(Value slope, Value offset) {
  RankedTensorType type = sliced();
  Value shift = spread(everySegment(offset)), carry;
  SmallVector<Value> values, out;
  // Step by step over all slices: the chain of one value is long.
  for (int64_t index = 0; index < slices; ++index)
    values.push_back(t.exp2(t.fma(raw(gStage, index), slope, shift)));
  for (Value &value : values)
    value = t.reciprocal(t.plus(value, t.f32(1.0)));
  for (int64_t index = 0; index < slices; ++index) {
    Value token =
        t.add(t.add(t.mul(t.iota(0, type), t.i32(segment)), t.iota(1, type)),
              t.i32(index * slice));
    Value sums =
        t.scan(t.select(t.less(token, rows), values[index], t.f32(0.0)), 1);
    if (carry)
      sums = t.plus(sums, spread(carry));
    carry = t.last(sums, 1);
    out.push_back(sums);
  }
  t.storeShared(carry, totals);
  return out;
}

Value KdaChunk::strengthLogits() {
  // `first` counts elements of q; beta has one where q has a head.
  Value offset = arith::DivSIOp::create(t.b, t.loc, first, t.i64(dim));
  return t.load(perToken(), beta, offset, /*alignment=*/2, t.i64(shape.heads),
                rows);
}

/// What scales rows and columns of the products, one number a token.
void KdaChunk::norms(Value logits) {
  auto inverseNorm = [&](Value buffer) {
    Value x = t.extend(t.loadShared(t.bf16({chunk, dim}, tokenRows()), buffer));
    return t.rsqrt(t.plus(t.sum(t.times(x, x), 1), t.f32(shape.normEpsilon)));
  };
  Value key = inverseNorm(kStage), query = inverseNorm(qStage);
  Value strength = t.select(t.less(t.iota(0, perToken()), rows),
                            t.sigmoid(logits), t.f32(0.0));
  Value scaled = t.times(strength, key);
  keepVectors(key, t.times(query, t.f32(1 / std::sqrt(double(dim)))));
  t.storeShared(scaled, columnStage);
  t.storeShared(t.times(scaled, key), rowScale);
}

/// Writes every factor of the products to come.
void KdaChunk::factors(ArrayRef<Value> sums) {
  Value total[4], prefix[5];
  for (int64_t i = 0; i < 4; ++i) {
    total[i] = t.times(t.loadShared(channels(), totals, i), unit());
    prefix[i + 1] = i ? t.plus(prefix[i], total[i]) : total[0];
  }
  RankedTensorType type = perSegment();
  Value segment = t.iota(0, type), zero = t.f32(0.0);
  Value upper = t.atLeast(segment, t.i32(2));
  auto is = [&](int64_t number) {
    return arith::CmpIOp::create(t.b, t.loc, arith::CmpIPredicate::eq, segment,
                                 t.splat(t.i32(number), type));
  };
  auto each = [&](Value x) { return everySegment(x); };
  // What separates a segment's sums from those since its anchor.
  Value shift =
      t.select(is(0), each(total[0]), t.select(is(2), each(total[2]), zero));
  // From the anchor back to the middle or the start of the chunk.
  Value toMiddle = t.exp2(t.select(upper, each(total[2]), zero));
  Value toStart = t.exp2(t.select(upper, each(prefix[2]), each(prefix[1])));
  // From the anchor on to the end of its half, then to the end of the chunk
  // or, for the first half, to the anchor of the second one.
  Value toHalf = t.exp2(t.select(upper, each(total[3]), each(total[1])));
  Value second = t.minus(prefix[4], prefix[2]);
  Value toEnd = t.exp2(t.select(upper, zero, each(second)));
  Value toAnchor = t.exp2(each(total[2]));

  // Rows eight apart have their bytes at the same swizzled place: together,
  // they share pointers.
  for (int64_t step = 0; step < slices; ++step) {
    int64_t index = step / 2 + step % 2 * (slices / 2);
    Value exponent = t.minus(t.times(sums[index], unit()), spread(shift));
    Value down = t.exp2(exponent), up = t.exp2(t.minus(zero, exponent));
    Value key = raw(kStage, index), query = raw(qStage, index);
    put(key, down, left, index);
    put(query, down, leftQ, index);
    Value whole = t.times(t.times(down, spread(toMiddle)), spread(toStart));
    keepFactor(Factor::Kd, t.truncate(t.times(key, whole)), index);
    keepFactor(Factor::Qd, t.truncate(t.times(query, whole)), index);
    put(key, up, right, index);
    Value late = t.times(up, spread(toHalf));
    put(key, t.times(late, spread(toAnchor)), far, index, half);
    Value rest = t.times(key, t.times(late, spread(toEnd)));
    keepFactor(Factor::Kr, t.truncate(rest), index);
  }
  keepDecay(t.exp2(prefix[4]));
  t.fenceShared();
  t.barrier();
}
Value KdaChunk::unit() { return t.f32(shape.lowerBound * M_LOG2E); }

/// A_kk (64 rows of the tile, the first warpgroup) and A_qk (the second).
/// With D = diag(1 / |k|), what is inverted is D A_kk D^-1: then columns need
/// no scale here, and rows of the inverse need none.
void KdaChunk::products() {
  RankedTensorType halfType = t.f32({2 * chunk, half}, t.acc());
  t.wgmmaFence({});
  Value near = t.wgmma(halfType, {left, leftQ}, {right});
  Value across = t.wgmma(halfType, {left, leftQ}, {far});
  Value late = t.wgmma(halfType, {left, leftQ}, {right}, {}, false, half);
  t.wgmmaCommit();
  SmallVector<Value> done = t.wgmmaWait(0, {near, across, late});
  t.barrier(); // the triangle takes the place of `right`

  Value token = t.bitAnd(t.iota(0, halfType), t.i32(chunk - 1));
  Value early = t.select(t.atLeast(token, t.i32(half)), done[1], done[0]);
  Value product = t.concat(early, done[2]);
  auto type = cast<RankedTensorType>(product.getType());
  Value isQuery = secondWarpgroup();
  RankedTensorType rowType = t.f32({2 * chunk}, rowsOf());
  Value scale = t.select(isQuery, t.splat(t.f32(1.0), rowType),
                         t.loadRepeated(rowType, rowScale));
  Value least = t.select(isQuery, t.i32(0), t.i32(1));
  Value row = t.sub(t.bitAnd(t.iota(0, type), t.i32(chunk - 1)), least);
  product = t.select(t.atLeast(row, t.iota(1, type)),
                     t.times(product, t.broadcast(scale, type)), t.f32(0.0));
  t.storeOfWarpgroup(0, product, triangle);
  keepScores(t.truncate(product));
}
Value KdaChunk::secondWarpgroup() { return t.atLeast(t.warpId(), t.i32(4)); }

/// T' = (I + A')^-1 diag(beta / |k|).
void KdaChunk::solve() {
  tile::UnitLowerInverseOp::create(t.b, t.loc, triangle, scratch);
  t.when(t.less(t.warpId(), t.i32(4)), [&] {
    RankedTensorType type = t.f32({2 * chunk, chunk}, t.acc());
    Value inverse = t.loadRepeated(type, triangle);
    Value scale = t.loadShared(t.f32({chunk}, columnsOf()), columnStage);
    keepSolve(t.truncate(t.times(inverse, t.broadcast(scale, type))));
  });
}
