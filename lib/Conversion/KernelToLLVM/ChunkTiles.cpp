// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filling, scaling, transposing and multiplying the tiles of a chunk.

#include "ChunkTiles.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace k3 {

static int64_t dim(Value tensor, unsigned index) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(index);
}

void transposeLanes(VectorMath &math, MutableArrayRef<Value> tile) {
  // In the step of distance s, lane bit s and row bit s trade places.
  constexpr int64_t lanes = tileLanes;
  for (int64_t s = 1; s < lanes; s *= 2)
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & s)
        continue;
      SmallVector<int64_t> upper, lower;
      for (int64_t l = 0; l < lanes; ++l) {
        upper.push_back(l & s ? lanes + l - s : l);
        lower.push_back(l & s ? lanes + l : l + s);
      }
      Value a = tile[i], c = tile[i + s];
      tile[i] = vector::ShuffleOp::create(math.b, math.loc, a, c, upper);
      tile[i + s] = vector::ShuffleOp::create(math.b, math.loc, a, c, lower);
    }
}

ChunkTiles::ChunkTiles(VectorMath &math, VectorMath::Sequence seq, Value head,
                       int64_t heads, int64_t size, int64_t unit)
    : math(math), seq(seq), head(head), heads(heads), size(size), unit(unit),
      rows(llvm::alignTo(size, unit)) {}

void ChunkTiles::begin(Value first) {
  firstToken = first;
  tokens = math.min(math.sub(seq.end, first), math.index(size));
  rowLimit = math.mul(math.div(math.add(tokens, unit - 1), unit), unit);
}

Tile ChunkTiles::allocate(int64_t height, int64_t width) {
  // A block of a product or a vector may begin at any sub-tile and reach
  // behind the last row.
  width = llvm::alignTo(width, tileLanes);
  height = llvm::alignTo(height, tileLanes) + tileLanes;
  // Rows a power of two apart would share few sets of the first-level cache.
  int64_t stride = width % 64 == 0 ? width + tileLanes : width;
  return {math.frame.scratch(
              MemRefType::get({height, stride}, math.b.getF32Type())),
          width};
}

Value ChunkTiles::allocateColumn() {
  return math.frame.scratch(
      MemRefType::get({int64_t(llvm::alignTo(rows, tileLanes)) + tileLanes},
                      math.b.getF32Type()));
}

void ChunkTiles::forEachVector(int64_t width,
                               llvm::function_ref<void(Value)> body) {
  math.loop(math.index(0), math.index(width), tileLanes, body);
}

void ChunkTiles::forEachRow(int64_t width,
                            llvm::function_ref<void(Value, Value)> body) {
  math.loop(math.index(0), rowLimit, 1, [&](Value row) {
    forEachVector(width, [&](Value column) { body(row, column); });
  });
}

void ChunkTiles::zero(Tile tile) {
  forEachRow(tile.width, [&](Value row, Value column) {
    math.store(math.splat(0.0, tileLanes), tile.memory, {row, column});
  });
}

Value ChunkTiles::headOf(Value tensor) {
  return math.div(head, heads / dim(tensor, 1));
}

Tile ChunkTiles::rowsOf(Value tensor, bool repeatLast) {
  if (Tile known = tiles.lookup(tensor); known.memory)
    return known;
  int64_t width = dim(tensor, 2);
  Tile tile = allocate(width);
  Value source = math.frame.bufferOf(tensor), sourceHead = headOf(tensor);
  auto copy = [&](Value row, Value from) {
    forEachBlock(math, width, tileLanes, [&](Value column, int64_t lanes) {
      Value token = math.add(firstToken, from);
      Value part = math.load(source, {token, sourceHead, column}, lanes);
      if (lanes < tileLanes) {
        SmallVector<int64_t> kept(tileLanes, lanes);
        std::iota(kept.begin(), kept.begin() + lanes, 0);
        part = vector::ShuffleOp::create(math.b, math.loc, part,
                                         math.splat(0.0, lanes), kept);
      }
      math.store(part, tile.memory, {row, column});
    });
  };
  math.loop(math.index(0), tokens, 1, [&](Value row) { copy(row, row); });
  Value last = lastRow();
  math.loop(tokens, rowLimit, 1, [&](Value row) {
    if (repeatLast)
      return copy(row, last);
    forEachVector(tile.width, [&](Value column) {
      math.store(math.splat(0.0, tileLanes), tile.memory, {row, column});
    });
  });
  return tiles[tensor] = tile;
}

Value ChunkTiles::columnOf(Value tensor, bool repeatLast) {
  if (Value known = columns.lookup(tensor))
    return known;
  Value column = allocateColumn(), source = math.frame.bufferOf(tensor);
  bool constant = cast<RankedTensorType>(tensor.getType()).getRank() == 1;
  auto copy = [&](Value row, Value from) {
    Value value =
        constant ? math.loadScalar(source, {head})
                 : math.loadScalar(source, {math.add(firstToken, from), head});
    math.storeScalar(value, column, {row});
  };
  math.loop(math.index(0), tokens, 1, [&](Value row) { copy(row, row); });
  Value last = lastRow();
  math.loop(tokens, rowLimit, 1, [&](Value row) {
    if (repeatLast)
      return copy(row, last);
    math.storeScalar(math.scalar(0.0), column, {row});
  });
  return columns[tensor] = column;
}

bool ChunkTiles::isScalar(Value decay) const {
  return cast<RankedTensorType>(decay.getType()).getRank() == 2;
}

ChunkTiles::Sum ChunkTiles::sumAt(Value decay, Value row, Value column) {
  if (isScalar(decay)) {
    Value low = lowColumns.lookup(decay);
    return {math.loadSplat(columnOf(decay, true), {row}, tileLanes),
            low ? math.loadSplat(low, {row}, tileLanes) : Value()};
  }
  Tile low = lowTiles.lookup(decay);
  return {math.load(rowsOf(decay, true).memory, {row, column}, tileLanes),
          low.memory ? math.load(low.memory, {row, column}, tileLanes)
                     : Value()};
}

ChunkTiles::Sum ChunkTiles::sumsFrom(Value decay, Value row) {
  Value low = lowColumns.lookup(decay);
  return {math.load(columnOf(decay, true), {row}, tileLanes),
          low ? math.load(low, {row}, tileLanes) : Value()};
}

Value ChunkTiles::difference(Sum a, Sum b) {
  Value high = math.subF(a.high, b.high);
  return a.low ? math.addF(high, math.subF(a.low, b.low)) : high;
}

Value ChunkTiles::stepAt(Value g, Value row, Value column) {
  if (!g)
    return {};
  if (cast<RankedTensorType>(g.getType()).getRank() < 3)
    return math.loadSplat(columnOf(g), {row}, tileLanes);
  return math.load(rowsOf(g).memory, {row, column}, tileLanes);
}

Value ChunkTiles::exponent(DecayFactor factor, Value decay, Value g, Value row,
                           Value column, int64_t subTile, int64_t anchor) {
  auto start = [&] { return math.mul(math.div(row, subTile), subTile); };
  auto without = [&](Value power) {
    Value step = stepAt(g, row, column);
    return step ? math.subF(power, step) : power;
  };
  auto between = [&](Value from, Value to) {
    return difference(sumAt(decay, from, column), sumAt(decay, to, column));
  };
  switch (factor) {
  case DecayFactor::FromStart: {
    Sum sum = sumAt(decay, row, column);
    Value power = without(sum.high);
    return sum.low ? math.addF(power, sum.low) : power;
  }
  case DecayFactor::ToEnd:
    return between(lastRow(), row);
  case DecayFactor::FromAnchor:
    return without(between(row, math.add(start(), anchor)));
  case DecayFactor::ToAnchor:
    return between(math.add(start(), anchor), row);
  case DecayFactor::FromTile: {
    // Rows of the first sub-tile have none before theirs and are not read.
    Value first = start();
    Value before = math.sub(math.select(math.compare(arith::CmpIPredicate::eq,
                                                     first, math.index(0)),
                                        math.index(1), first),
                            math.index(1));
    return without(between(row, before));
  }
  }
  llvm_unreachable("all factors are handled");
}

Tile ChunkTiles::channelFactor(DecayFactor factor, Value decay, Value g,
                               int64_t subTile, int64_t anchor) {
  FactorKey key{int(factor), decay.getAsOpaquePointer(), g.getAsOpaquePointer(),
                subTile, anchor};
  auto known = factors.find(key);
  if (known != factors.end())
    return known->second;
  Tile out = allocate(rowsOf(decay, /*repeatLast=*/true).width);
  if (g)
    rowsOf(g);
  forEachRow(out.width, [&](Value row, Value column) {
    Value power = exponent(factor, decay, g, row, column, subTile, anchor);
    math.store(math.exp(power), out.memory, {row, column});
  });
  return factors[key] = out;
}

Value ChunkTiles::scalarFactor(DecayFactor factor, Value decay, Value g) {
  FactorKey key{int(factor), decay.getAsOpaquePointer(), g.getAsOpaquePointer(),
                1, 0};
  auto known = scalarFactors.find(key);
  if (known != scalarFactors.end())
    return known->second;
  columnOf(decay, /*repeatLast=*/true);
  if (g)
    columnOf(g);
  Value out = allocateColumn();
  math.loop(math.index(0), rowLimit, 1, [&](Value row) {
    Value power = exponent(factor, decay, g, row, {}, 1, 0);
    Value all = math.exp(power);
    math.storeScalar(vector::ExtractOp::create(math.b, math.loc, all, 0), out,
                     {row});
  });
  return scalarFactors[key] = out;
}

Tile ChunkTiles::decayed(Value x, DecayFactor factor, Value decay, Value g,
                         int64_t subTile, int64_t anchor) {
  Tile source = rowsOf(x);
  if (!decay)
    return source;
  FactorKey key{int(factor), decay.getAsOpaquePointer(), g.getAsOpaquePointer(),
                subTile, anchor};
  std::pair<void *, FactorKey> name{x.getAsOpaquePointer(), key};
  auto known = products.find(name);
  if (known != products.end())
    return known->second;
  bool scalar = isScalar(decay);
  Value column = scalar ? scalarFactor(factor, decay, g) : Value();
  Tile all = scalar ? Tile() : channelFactor(factor, decay, g, subTile, anchor);
  Tile out = allocate(source.width);
  forEachRow(out.width, [&](Value row, Value at) {
    Value by = scalar ? math.loadSplat(column, {row}, tileLanes)
                      : math.load(all.memory, {row, at}, tileLanes);
    Value value = math.load(source.memory, {row, at}, tileLanes);
    math.store(math.mulF(value, by), out.memory, {row, at});
  });
  return products[name] = out;
}

Tile ChunkTiles::transposed(Tile tile) {
  auto known = transposes.find(tile.memory.getAsOpaquePointer());
  if (known != transposes.end())
    return known->second;
  Tile out = allocate(tile.width, rows);
  math.loop(math.index(0), rowLimit, tileLanes, [&](Value row) {
    forEachVector(tile.width, [&](Value column) {
      SmallVector<Value> block;
      for (int64_t i = 0; i < tileLanes; ++i)
        block.push_back(
            math.load(tile.memory, {math.add(row, i), column}, tileLanes));
      transposeLanes(math, block);
      for (int64_t i = 0; i < tileLanes; ++i)
        math.store(block[i], out.memory, {math.add(column, i), row});
    });
  });
  return transposes[tile.memory.getAsOpaquePointer()] = out;
}

Tile ChunkTiles::written(Value v, Value beta) {
  Tile source = rowsOf(v);
  if (!beta)
    return source;
  auto &out = writes[{v.getAsOpaquePointer(), beta.getAsOpaquePointer()}];
  if (out.memory)
    return out;
  Value strength = columnOf(beta);
  out = allocate(source.width);
  forEachRow(out.width, [&](Value row, Value column) {
    Value by = math.loadSplat(strength, {row}, tileLanes);
    math.store(
        math.mulF(math.load(source.memory, {row, column}, tileLanes), by),
        out.memory, {row, column});
  });
  return out;
}

namespace {

/// One block of `tileRows` rows and `vectors` vectors.
void multiplyBlock(VectorMath &math, const TileProduct &product, Value row,
                   Value column, int64_t vectors) {
  VectorMath::Values sums;
  for (int64_t i = 0; i < tileRows; ++i)
    for (int64_t v = 0; v < vectors; ++v) {
      Value at = math.add(column, v * tileLanes);
      sums.push_back(product.start ? product.start(math.add(row, i), at)
                                   : math.splat(0.0, tileLanes));
    }
  sums = math.loop(
      math.index(0), product.depth(row), 1, sums,
      [&](Value k, ValueRange carried) -> VectorMath::Values {
        VectorMath::Values right, next;
        for (int64_t v = 0; v < vectors; ++v)
          right.push_back(math.load(product.b.memory,
                                    {k, math.add(column, v * tileLanes)},
                                    tileLanes));
        for (int64_t i = 0; i < tileRows; ++i) {
          Value at = math.add(row, i);
          SmallVector<Value> place = {at, k};
          if (product.transposeA)
            std::swap(place[0], place[1]);
          Value left = math.loadSplat(product.a.memory, place, tileLanes);
          for (int64_t v = 0; v < vectors; ++v)
            next.push_back(math.fma(left, right[v], carried[i * vectors + v]));
        }
        return next;
      });
  for (int64_t i = 0; i < tileRows; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      product.finish(sums[i * vectors + v], math.add(row, i),
                     math.add(column, v * tileLanes));
}

} // namespace

void ChunkTiles::multiply(const TileProduct &product) {
  // Columns outside, so that a panel of B stays in the first-level cache while
  // the rows pass.
  auto panel = [&](Value column, int64_t vectors) {
    math.loop(product.rowFrom, product.rowTo, tileRows, [&](Value row) {
      multiplyBlock(math, product, row, column, vectors);
    });
  };
  if (product.columnTo) {
    math.loop(product.columnFrom, product.columnTo, tileLanes,
              [&](Value column) { panel(column, 1); });
    return;
  }
  int64_t pairs = product.b.width / (2 * tileLanes) * (2 * tileLanes);
  math.loop(math.index(0), math.index(pairs), 2 * tileLanes,
            [&](Value column) { panel(column, 2); });
  if (pairs < product.b.width)
    panel(math.index(pairs), 1);
}

void ChunkTiles::multiply(Tile out, Tile a, Tile b,
                          llvm::function_ref<Value(Value)> depth) {
  TileProduct product;
  product.a = a;
  product.b = b;
  product.rowFrom = math.index(0);
  product.rowTo = rowLimit;
  product.depth = depth;
  auto finish = [&](Value sum, Value row, Value column) {
    math.store(sum, out.memory, {row, column});
  };
  product.finish = finish;
  multiply(product);
}

void ChunkTiles::store(Value tensor) {
  Tile tile = tiles.lookup(tensor);
  Value target = math.frame.bufferOf(tensor);
  math.loop(math.index(0), tokens, 1, [&](Value row) {
    forEachBlock(
        math, dim(tensor, 2), tileLanes, [&](Value column, int64_t lanes) {
          math.store(math.load(tile.memory, {row, column}, lanes), target,
                     {math.add(firstToken, row), head, column});
        });
  });
}

void ChunkTiles::storeColumn(Value tensor) {
  Value column = columns.lookup(tensor);
  Value target = math.frame.bufferOf(tensor);
  math.loop(math.index(0), tokens, 1, [&](Value row) {
    math.storeScalar(math.loadScalar(column, {row}), target,
                     {math.add(firstToken, row), head});
  });
}

void ChunkTiles::zeroRows(Value tensor) {
  Value target = math.frame.bufferOf(tensor);
  bool isColumn = cast<RankedTensorType>(tensor.getType()).getRank() == 2;
  math.loop(seq.begin, seq.end, 1, [&](Value token) {
    if (isColumn)
      return math.storeScalar(math.scalar(0.0), target, {token, head});
    forEachBlock(
        math, dim(tensor, 2), tileLanes, [&](Value column, int64_t lanes) {
          math.store(math.splat(0.0, lanes), target, {token, head, column});
        });
  });
}

} // namespace k3
