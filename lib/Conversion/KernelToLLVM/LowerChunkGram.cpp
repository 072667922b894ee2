// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.chunk_gram on tiles, in the form that its attribute names.

#include "LowerChunks.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace k3 {

namespace {

class GramLowering {
public:
  GramLowering(ChunkTiles &tiles, ChunkGramOp op)
      : tiles(tiles), math(tiles.math), op(op),
        width(cast<RankedTensorType>(op.getX().getType()).getDimSize(2)),
        subTile(op.getSubTile()), anchor(op.getAnchor().value_or(0)),
        out(tiles.allocate(tiles.size + tileLanes)) {}

  Tile run();

private:
  Value depth(Value) { return math.index(width); }
  /// Keeps the columns that a row sees and zeros the others by selection:
  /// products above the diagonal may be infinite.
  Value masked(Value sum, Value row, Value column);
  void whole();
  void inSubTiles();
  void offDiagonal(Value first, Tile left);
  void pairwise(Value first, Tile x, Tile y);
  /// Rows of the sub-tile that starts at `first`, columns [from, to).
  void multiply(Tile left, Tile right, Value first, Value from, Value to,
                bool masks);

  ChunkTiles &tiles;
  VectorMath &math;
  ChunkGramOp op;
  int64_t width, subTile, anchor;
  Tile out;
};

} // namespace

Value GramLowering::masked(Value sum, Value row, Value column) {
  Type indices = VectorType::get({tileLanes}, math.b.getIndexType());
  Value lanes =
      vector::StepOp::create(math.b, math.loc, cast<VectorType>(indices));
  auto splat = [&](Value index) -> Value {
    return vector::BroadcastOp::create(math.b, math.loc, indices, index);
  };
  Value places = arith::AddIOp::create(math.b, math.loc, lanes, splat(column));
  auto predicate =
      op.getDiagonal() ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt;
  Value keep = math.compare(predicate, places, splat(row));
  return math.select(keep, sum, math.splat(0.0, tileLanes));
}

/// A product of plain rows; with one decay a head, times exp(E - G) behind it.
void GramLowering::whole() {
  Tile x = tiles.rowsOf(op.getX());
  Tile y = tiles.transposed(tiles.rowsOf(op.getY()));
  if (op.getDecay())
    tiles.columnOf(op.getDecay(), /*repeatLast=*/true);
  if (op.getG())
    tiles.columnOf(op.getG());
  math.loop(math.index(0), tiles.limit(), tileRows, [&](Value block) {
    TileProduct product;
    product.a = x;
    product.b = y;
    product.rowFrom = block;
    product.rowTo = math.add(block, tileRows);
    product.columnFrom = math.index(0);
    product.columnTo = product.rowTo;
    auto terms = [&](Value row) { return depth(row); };
    auto finish = [&](Value sum, Value row, Value column) {
      if (op.getDecay()) {
        Value power = tiles.difference(tiles.sumAt(op.getDecay(), row, {}),
                                       tiles.sumsFrom(op.getDecay(), column));
        if (Value step = tiles.stepAt(op.getG(), row, {}))
          power = math.subF(power, step);
        sum = math.mulF(sum, math.exp(power));
      }
      math.store(masked(sum, row, column), out.memory, {row, column});
    };
    product.depth = terms;
    product.finish = finish;
    tiles.multiply(product);
  });
}

void GramLowering::multiply(Tile left, Tile right, Value first, Value from,
                            Value to, bool masks) {
  TileProduct product;
  product.a = left;
  product.b = right;
  product.rowFrom = first;
  product.rowTo = math.add(first, subTile);
  product.columnFrom = from;
  product.columnTo = to;
  auto terms = [&](Value row) { return depth(row); };
  auto finish = [&](Value sum, Value row, Value column) {
    math.store(masks ? masked(sum, row, column) : sum, out.memory,
               {row, column});
  };
  product.depth = terms;
  product.finish = finish;
  tiles.multiply(product);
}

void GramLowering::pairwise(Value first, Tile x, Tile y) {
  Value last = math.add(first, subTile);
  math.loop(first, last, 1, [&](Value row) {
    Value end = op.getDiagonal() ? math.add(row, 1) : row;
    math.loop(first, end, 1, [&](Value other) {
      Value total =
          math.loop(math.index(0), math.index(x.width), tileLanes,
                    {math.splat(0.0, tileLanes)},
                    [&](Value at, ValueRange sum) -> VectorMath::Values {
                      auto load = [&](Tile tile, Value from) {
                        return math.load(tile.memory, {from, at}, tileLanes);
                      };
                      Value power = tiles.difference(
                          tiles.sumAt(op.getDecay(), row, at),
                          tiles.sumAt(op.getDecay(), other, at));
                      if (Value step = tiles.stepAt(op.getG(), row, at))
                        power = math.subF(power, step);
                      Value both = math.mulF(load(x, row), load(y, other));
                      return {math.fma(both, math.exp(power), sum[0])};
                    })
              .front();
      math.storeScalar(math.sumLanes(total), out.memory, {row, other});
    });
  });
}

/// Columns before the sub-tile, factored at the row before it. Vectors may
/// reach into the sub-tile, whose columns come later.
void GramLowering::offDiagonal(Value first, Tile left) {
  Tile y = tiles.rowsOf(op.getY());
  Tile right = tiles.allocate(y.width, tiles.rows);
  Value before = math.sub(first, math.index(1));
  math.loop(math.index(0), first, tileLanes, [&](Value row) {
    tiles.forEachVector(y.width, [&](Value column) {
      SmallVector<Value> block;
      ChunkTiles::Sum reference = tiles.sumAt(op.getDecay(), before, column);
      for (int64_t i = 0; i < tileLanes; ++i) {
        // The sums of rows in the sub-tile and behind would overflow.
        Value at = math.min(math.add(row, i), before);
        Value power =
            tiles.difference(reference, tiles.sumAt(op.getDecay(), at, column));
        block.push_back(math.mulF(math.load(y.memory, {at, column}, tileLanes),
                                  math.exp(power)));
      }
      transposeLanes(math, block);
      for (int64_t i = 0; i < tileLanes; ++i)
        math.store(block[i], right.memory, {math.add(column, i), row});
    });
  });
  multiply(left, right, first, math.index(0), first, /*masks=*/false);
}

void GramLowering::inSubTiles() {
  bool anchored = op.getForm() == DecayForm::Anchored;
  Value decay = op.getDecay(), g = op.getG();
  Tile x = tiles.rowsOf(op.getX()), y = tiles.rowsOf(op.getY());
  tiles.rowsOf(decay, /*repeatLast=*/true);
  if (g)
    tiles.rowsOf(g);
  Tile near, right, far;
  if (anchored) {
    near = tiles.decayed(op.getX(), DecayFactor::FromAnchor, decay, g, subTile,
                         anchor);
    right = tiles.transposed(tiles.decayed(op.getY(), DecayFactor::ToAnchor,
                                           decay, {}, subTile, anchor));
  }
  bool several = subTile < tiles.size;
  if (several)
    far = tiles.decayed(op.getX(), DecayFactor::FromTile, decay, g, subTile);
  tiles.zero(out);
  math.loop(math.index(0), tiles.limit(), subTile, [&](Value first) {
    if (several)
      math.when(math.compare(arith::CmpIPredicate::sgt, first, math.index(0)),
                [&] { offDiagonal(first, far); });
    if (!anchored) {
      // Vectors of the columns before reach behind them.
      math.loop(first, math.add(first, subTile), 1, [&](Value row) {
        math.store(math.splat(0.0, tileLanes), out.memory, {row, first});
      });
      pairwise(first, x, y);
      return;
    }
    multiply(near, right, first, first, math.add(first, subTile),
             /*masks=*/true);
  });
}

Tile GramLowering::run() {
  if (op.getForm() == DecayForm::Plain || op.getForm() == DecayForm::Scalar) {
    tiles.zero(out);
    whole();
  } else {
    inSubTiles();
  }
  return out;
}

Tile lowerChunkGram(ChunkTiles &tiles, ChunkGramOp op) {
  return GramLowering(tiles, op).run();
}

} // namespace k3
