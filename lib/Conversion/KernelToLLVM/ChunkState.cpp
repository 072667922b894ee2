// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.chunk_step on tiles.

#include "LowerChunks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace k3 {

static int64_t dim(Value tensor, unsigned index) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(index);
}

ChunkState::ChunkState(ChunkTiles &tiles, ChunkStepOp op)
    : tiles(tiles), math(tiles.math), op(op), keyWidth(dim(op.getQ(), 2)),
      valueWidth(dim(op.getRead(), 2)),
      state(tiles.allocate(keyWidth, valueWidth)) {
  if (op.getNormalizerState())
    normalizer = tiles.allocate(1, keyWidth).memory;
}

/// Pool [.., K, V] or [.., V, K] <-> the tile [K, V].
void ChunkState::copy(bool toPool) {
  Value pool = math.frame.bufferOf(toPool ? op.getNewState() : op.getState());
  Value slot = tiles.seq.slot, head = tiles.head;
  bool vFirst = op.getStateVFirst();
  if (vFirst && (keyWidth % tileLanes || valueWidth % tileLanes)) {
    math.loop(math.index(0), math.index(keyWidth), 1, [&](Value k) {
      math.loop(math.index(0), math.index(valueWidth), 1, [&](Value v) {
        SmallVector<Value> there = {slot, head, v, k}, here = {k, v};
        if (toPool)
          math.storeScalar(math.loadScalar(state.memory, here), pool, there);
        else
          math.storeScalar(math.loadScalar(pool, there), state.memory, here);
      });
    });
    return;
  }
  if (vFirst) {
    math.loop(math.index(0), math.index(keyWidth), tileLanes, [&](Value k) {
      math.loop(math.index(0), math.index(valueWidth), tileLanes, [&](Value v) {
        SmallVector<Value> block;
        for (int64_t i = 0; i < tileLanes; ++i)
          block.push_back(
              toPool ? math.load(state.memory, {math.add(k, i), v}, tileLanes)
                     : math.load(pool, {slot, head, math.add(v, i), k},
                                 tileLanes));
        transposeLanes(math, block);
        for (int64_t i = 0; i < tileLanes; ++i) {
          if (toPool)
            math.store(block[i], pool, {slot, head, math.add(v, i), k});
          else
            math.store(block[i], state.memory, {math.add(k, i), v});
        }
      });
    });
    return;
  }
  math.loop(math.index(0), math.index(keyWidth), 1, [&](Value k) {
    forEachBlock(math, valueWidth, tileLanes, [&](Value v, int64_t lanes) {
      if (toPool)
        math.store(math.load(state.memory, {k, v}, lanes), pool,
                   {slot, head, k, v});
      else
        math.store(math.load(pool, {slot, head, k, v}, lanes), state.memory,
                   {k, v});
    });
  });
}

void ChunkState::copyNormalizer(bool toPool) {
  Value pool = math.frame.bufferOf(toPool ? op.getNewNormalizerState()
                                          : op.getNormalizerState());
  forEachBlock(math, keyWidth, tileLanes, [&](Value k, int64_t lanes) {
    SmallVector<Value> there = {tiles.seq.slot, tiles.head, k};
    SmallVector<Value> here = {math.index(0), k};
    if (toPool)
      math.store(math.load(normalizer, here, lanes), pool, there);
    else
      math.store(math.load(pool, there, lanes), normalizer, here);
  });
}

void ChunkState::load() {
  // Padding too: products run over whole vectors.
  math.loop(math.index(0),
            math.index(cast<MemRefType>(state.memory.getType()).getDimSize(0)),
            1, [&](Value k) {
              tiles.forEachVector(state.width, [&](Value v) {
                math.store(math.splat(0.0, tileLanes), state.memory, {k, v});
              });
            });
  if (normalizer)
    tiles.forEachVector(keyWidth, [&](Value k) {
      math.store(math.splat(0.0, tileLanes), normalizer, {math.index(0), k});
    });
  // A fresh slot may hold anything, NaN included, so its bytes are not read.
  math.when(
      math.compare(arith::CmpIPredicate::sgt, tiles.seq.context, math.index(0)),
      [&] {
        copy(/*toPool=*/false);
        if (normalizer)
          copyNormalizer(/*toPool=*/false);
      });
}

void ChunkState::store() {
  copy(/*toPool=*/true);
  if (normalizer)
    copyNormalizer(/*toPool=*/true);
}

Value ChunkState::chunkDecay(Value k) {
  ChunkTiles::Sum sum = tiles.sumAt(op.getDecay(), tiles.lastRow(), k);
  return math.exp(sum.low ? math.addF(sum.high, sum.low) : sum.high);
}

/// S += keys^T values; with `decays` S first takes the chunk's decay.
void ChunkState::addProducts(Tile keys, Tile values, bool decays) {
  TileProduct product;
  product.a = keys;
  product.transposeA = true;
  product.b = values;
  product.rowFrom = math.index(0);
  product.rowTo = math.index(llvm::alignTo(keyWidth, tileRows));
  auto terms = [&](Value) { return tiles.limit(); };
  Value factors;
  if (decays && op.getDecay()) {
    factors = tiles.allocate(1, keys.width).memory;
    tiles.forEachVector(keys.width, [&](Value k) {
      math.store(chunkDecay(k), factors, {math.index(0), k});
    });
  }
  auto start = [&](Value row, Value column) {
    Value old = math.load(state.memory, {row, column}, tileLanes);
    if (!factors)
      return old;
    return math.mulF(old,
                     math.loadSplat(factors, {math.index(0), row}, tileLanes));
  };
  auto finish = [&](Value sum, Value row, Value column) {
    math.store(sum, state.memory, {row, column});
  };
  product.depth = terms;
  product.start = start;
  product.finish = finish;
  tiles.multiply(product);
}

void ChunkState::stepNormalizer() {
  Value decay = op.getDecay();
  Tile q = tiles.decayed(op.getQ(), DecayFactor::FromStart, decay, {});
  Tile k = tiles.decayed(op.getK(), DecayFactor::ToEnd, decay, {});
  Value beta = op.getBeta() ? tiles.columnOf(op.getBeta()) : Value();
  Value weight = tiles.allocateColumn();
  math.loop(math.index(0), tiles.limit(), 1, [&](Value row) {
    Value total =
        math.loop(math.index(0), math.index(q.width), tileLanes,
                  {math.splat(0.0, tileLanes)},
                  [&](Value at, ValueRange sum) -> VectorMath::Values {
                    return {math.fma(
                        math.load(q.memory, {row, at}, tileLanes),
                        math.load(normalizer, {math.index(0), at}, tileLanes),
                        sum[0])};
                  })
            .front();
    math.storeScalar(math.sumLanes(total), weight, {row});
  });
  tiles.defineColumn(op.getWeight(), weight);
  tiles.forEachVector(k.width, [&](Value at) {
    Value z = math.load(normalizer, {math.index(0), at}, tileLanes);
    if (decay)
      z = math.mulF(z, chunkDecay(at));
    z = math.loop(math.index(0), tiles.limit(), 1, {z},
                  [&](Value row, ValueRange sum) -> VectorMath::Values {
                    Value key = math.load(k.memory, {row, at}, tileLanes);
                    if (beta)
                      return {math.fma(
                          key, math.loadSplat(beta, {row}, tileLanes), sum[0])};
                    return {math.addF(key, sum[0])};
                  })
            .front();
    math.store(z, normalizer, {math.index(0), at});
  });
}

void ChunkState::step() {
  Value decay = op.getDecay();
  auto depth = [&](Value) { return math.index(keyWidth); };
  Tile q = tiles.decayed(op.getQ(), DecayFactor::FromStart, decay, {});
  Tile read = tiles.allocate(valueWidth);
  tiles.multiply(read, q, state, depth);
  tiles.define(op.getRead(), read);
  Tile pseudo;
  if (op.getErase() != Erase::None) {
    Tile u = tiles.rowsOf(op.getU());
    pseudo = tiles.allocate(valueWidth);
    TileProduct product;
    product.a = tiles.rowsOf(op.getW());
    product.b = state;
    product.rowFrom = math.index(0);
    product.rowTo = tiles.limit();
    auto finish = [&](Value sum, Value row, Value column) {
      math.store(math.subF(math.load(u.memory, {row, column}, tileLanes), sum),
                 pseudo.memory, {row, column});
    };
    product.depth = depth;
    product.finish = finish;
    tiles.multiply(product);
    tiles.define(op.getPseudo(), pseudo);
  }
  Value eraseKey = op.getB() ? Value(op.getB()) : Value(op.getK());
  if (pseudo.memory)
    addProducts(tiles.decayed(eraseKey, DecayFactor::ToEnd, decay, {}), pseudo,
                /*decays=*/true);
  bool scales = op.getWrite() == Write::BetaValue;
  if (op.getV())
    addProducts(tiles.decayed(op.getK(), DecayFactor::ToEnd, decay, {}),
                tiles.written(op.getV(), scales ? op.getBeta() : Value()),
                /*decays=*/!pseudo.memory);
  if (normalizer)
    stepNormalizer();
}

} // namespace k3
