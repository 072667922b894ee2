// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one chunk of KDA does to the state, on one warpgroup for 64 values.

#include "KdaChunk.h"

using namespace mlir;
using namespace k3;

void KdaChunk::readSequence(Value sequence) {
  Value index = t.wide(sequence);
  start = t.element(cuSeqlens, index);
  Value end = t.element(cuSeqlens, t.add(index, t.i64(1)));
  length = t.sub(end, start);
  slot = t.element(slots, index);
  Value before = t.element(contextLens, index);
  kept = t.atLeast(slot, t.i32(0));
  resumed = arith::AndIOp::create(t.b, t.loc, kept, t.less(t.i32(0), before));
  chunks = arith::DivSIOp::create(t.b, t.loc, t.add(length, t.i32(chunk - 1)),
                                  t.i32(chunk));
  stride = t.i64(shape.heads * dim);
}

void KdaChunk::enterChunk(Value number) {
  Value token = t.mul(number, t.i32(chunk));
  rows = t.sub(length, token);
  first = t.add(t.mul(t.wide(t.add(start, token)), stride),
                t.wide(t.mul(head, t.i32(dim))));
}

RankedTensorType KdaChunk::stateType() { return t.f32({values, dim}, t.acc()); }
Value KdaChunk::stateOffset() {
  Value row = t.add(t.mul(t.wide(slot), t.i64(shape.heads)), t.wide(head));
  row = t.add(t.mul(row, t.i64(dim)), t.wide(firstValue));
  return t.mul(row, t.i64(dim));
}
Value KdaChunk::loadState() {
  return t.loadAllIf(resumed,
                     {{stateType(), state, stateOffset(), 8, t.i64(dim)}})[0];
}
void KdaChunk::storeState(Value value) {
  t.when(kept, [&] { t.store(value, state, stateOffset(), 8, t.i64(dim)); });
}

/// The state fills half of the registers, so outputs go by halves of the
/// chunk.
Value KdaChunk::step(Value before) {
  RankedTensorType type = t.f32({values, half}, t.acc());
  Value operand = t.wgmmaFence({t.truncate(before)})[0];
  SmallVector<Value> parts;
  for (int64_t token : {0l, half})
    parts.push_back(t.wgmma(type, {operand}, {gStage}, {}, false, token));
  t.wgmmaCommit();
  parts = t.wgmmaWait(0, parts);
  for (int64_t index : {0, 1})
    parts[index] = error(parts[index], index * half);
  Value error = t.wgmmaFence({t.concat(parts[0], parts[1])})[0];
  for (int64_t index : {0, 1}) {
    Value part = t.wgmma(type, {error}, {solveStage}, {}, false, index * half);
    t.wgmmaCommit();
    parts[index] = t.truncate(t.wgmmaWait(0, {part})[0]);
    error = t.wgmmaFence({error})[0];
  }
  Value change = t.concat(parts[0], parts[1]);
  Value decay = t.broadcast(t.loadShared(t.f32({dim}, columnsOf()), decayStage),
                            stateType());
  SmallVector<Value> fenced = t.wgmmaFence({change, t.times(before, decay)});
  change = fenced[0];
  Value after = t.wgmma(stateType(), {change}, {kStage}, fenced[1],
                        /*transposeB=*/true);
  t.wgmmaCommit();
  after = t.wgmmaWait(0, {after})[0];
  for (int64_t token = 0; token < chunk; token += part)
    put(t.wgmmaWait(0, {output(operand, change, token)})[0], token);
  write();
  return after;
}

/// v - k S of 32 tokens, transposed.
Value KdaChunk::error(Value read, int64_t token) {
  auto type = cast<RankedTensorType>(read.getType());
  Value norm = t.broadcast(
      t.loadShared(t.f32({half}, columnsOf()), normStage, token), type);
  Value wanted = t.extend(
      t.loadTransposed(t.bf16({values, half}, t.acc()), vStage, token));
  return t.truncate(t.minus(wanted, t.times(read, norm)));
}

/// O^T of 32 tokens, before its scale.
Value KdaChunk::output(Value operand, Value change, int64_t token) {
  RankedTensorType type = t.f32({values, part}, t.acc());
  Value sum = t.wgmma(type, {operand}, {qStage}, {}, false, token);
  sum = t.wgmma(type, {change}, {scoreStage}, sum, false, token);
  t.wgmmaCommit();
  return sum;
}
/// O of 32 tokens in place of their Qd, once every warp has used that.
void KdaChunk::put(Value sum, int64_t token) {
  t.barrier();
  Value scale =
      t.broadcast(t.loadShared(t.f32({part}, columnsOf()), scaleStage, token),
                  cast<RankedTensorType>(sum.getType()));
  Value output = t.truncate(t.times(sum, scale));
  Value none = t.truncate(t.zeros(cast<RankedTensorType>(sum.getType())));
  t.storeTransposed(t.select(kept, output, none), qStage, token);
}

void KdaChunk::write() {
  t.barrier();
  int64_t lanes = values / 8;
  Attribute lines = t.blocked({1, 8}, {32 / lanes, lanes}, {values / 16, 1});
  Value tile = t.loadShared(t.bf16({chunk, values}, lines), qStage);
  t.store(tile, o, t.add(first, t.wide(firstValue)), 16, stride, rows);
}
