// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one head and a block of value channels.

#include "DeltaState.h"

#include "ChunkTiles.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace k3 {

namespace {
constexpr int64_t lanes = 16;
} // namespace

SmallVector<ChannelPart> channelParts(int64_t channels) {
  SmallVector<ChannelPart> parts;
  for (int64_t offset = 0; offset < channels; offset += lanes)
    parts.push_back({offset, std::min(lanes, channels - offset)});
  return parts;
}

DeltaState::DeltaState(VectorMath &math, DeltaRuleOp op, Value slot, Value head,
                       Value first, int64_t channels)
    : math(math), op(op), slot(slot), head(head), first(first),
      channels(channels),
      keyWidth(cast<RankedTensorType>(op.getQ().getType()).getDimSize(2)),
      rows(math.frame.scratch(
          MemRefType::get({keyWidth, deltaBlock}, math.b.getF32Type()))) {}

Value DeltaState::read(Value k, ChannelPart part) {
  return math.load(rows, {k, math.index(part.offset)}, part.lanes);
}

void DeltaState::write(Value value, Value k, ChannelPart part) {
  math.store(value, rows, {k, math.index(part.offset)});
}

/// Pool [.., V, K] <-> scratch [K, V].
void DeltaState::copyTransposed(bool toPool, ChannelPart part) {
  Value pool = math.frame.bufferOf(toPool ? op.getNewState() : op.getState());
  Value channel = math.add(first, part.offset);
  if (part.lanes == lanes && keyWidth % lanes == 0) {
    math.loop(math.index(0), math.index(keyWidth), lanes, [&](Value k) {
      SmallVector<Value> tile;
      for (int64_t i = 0; i < lanes; ++i)
        tile.push_back(toPool ? read(math.add(k, i), part)
                              : math.load(pool,
                                          {slot, head, math.add(channel, i), k},
                                          lanes));
      transposeLanes(math, tile);
      for (int64_t i = 0; i < lanes; ++i) {
        if (toPool)
          math.store(tile[i], pool, {slot, head, math.add(channel, i), k});
        else
          write(tile[i], math.add(k, i), part);
      }
    });
    return;
  }
  math.loop(math.index(0), math.index(keyWidth), 1, [&](Value k) {
    for (int64_t i = 0; i < part.lanes; ++i) {
      SmallVector<Value> in = {slot, head, math.add(channel, i), k};
      SmallVector<Value> local = {k, math.index(part.offset + i)};
      if (toPool)
        math.storeScalar(math.loadScalar(rows, local), pool, in);
      else
        math.storeScalar(math.loadScalar(pool, in), rows, local);
    }
  });
}

void DeltaState::copy(bool toPool) {
  for (ChannelPart part : channelParts(channels)) {
    if (op.getStateVFirst()) {
      copyTransposed(toPool, part);
      continue;
    }
    Value pool = math.frame.bufferOf(toPool ? op.getNewState() : op.getState());
    Value channel = math.add(first, part.offset);
    math.loop(math.index(0), math.index(keyWidth), 1, [&](Value k) {
      SmallVector<Value> at = {slot, head, k, channel};
      if (toPool)
        math.store(read(k, part), pool, at);
      else
        write(math.load(pool, at, part.lanes), k, part);
    });
  }
}

void DeltaState::load(Value resumed) {
  // A fresh slot may hold anything, NaN included, so its bytes are not read.
  math.when(
      resumed, [&] { copy(/*toPool=*/false); },
      [&] {
        math.loop(math.index(0), math.index(keyWidth), 1, [&](Value k) {
          for (ChannelPart part : channelParts(channels))
            write(math.splat(0.0, part.lanes), k, part);
        });
      });
}

void DeltaState::store() { copy(/*toPool=*/true); }

} // namespace k3
