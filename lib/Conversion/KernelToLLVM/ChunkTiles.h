// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of one chunk of one head: fp32 in scratch, padded with zeros, so
// that every product runs on whole vectors.

#ifndef K3_CONVERSION_KERNELTOLLVM_CHUNKTILES_H
#define K3_CONVERSION_KERNELTOLLVM_CHUNKTILES_H

#include "VectorMath.h"

#include <map>

namespace k3 {

/// Lanes of a vector and rows of a block of a product.
constexpr int64_t tileLanes = 16, tileRows = 8;

/// [rows, width] of scratch; `width` is a multiple of `tileLanes`.
struct Tile {
  mlir::Value memory;
  int64_t width = 0;
};

/// C = A B in blocks of `tileRows` rows.
struct TileProduct {
  Tile a, b;
  bool transposeA = false; ///< element (row, k) of A lies at [k, row]
  mlir::Value rowFrom, rowTo;
  mlir::Value columnFrom, columnTo; ///< null: all of `b`
  /// Terms of the sum, for the block of rows from `row` on.
  llvm::function_ref<mlir::Value(mlir::Value row)> depth;
  /// What the sum starts from; null: zero.
  llvm::function_ref<mlir::Value(mlir::Value row, mlir::Value column)> start;
  /// Takes the finished vector.
  llvm::function_ref<void(mlir::Value sum, mlir::Value row, mlir::Value column)>
      finish;
};

/// Transposes 16 vectors of 16 lanes.
void transposeLanes(VectorMath &math, llvm::MutableArrayRef<mlir::Value> tile);

/// Which exponential of cumulative log-decays multiplies a row.
enum class DecayFactor {
  FromStart,  ///< exp(E), E = G, or G - g
  ToEnd,      ///< exp(G of the last token - G)
  FromAnchor, ///< exp(E - G of the sub-tile's anchor)
  ToAnchor,   ///< exp(G of the sub-tile's anchor - G)
  FromTile,   ///< exp(E - G of the row before the sub-tile)
};

class ChunkTiles {
public:
  /// `size` tokens a chunk; rows are counted in multiples of `unit`.
  ChunkTiles(VectorMath &math, VectorMath::Sequence seq, mlir::Value head,
             int64_t heads, int64_t size, int64_t unit);

  /// Starts the chunk at token `first`.
  void begin(mlir::Value first);

  Tile allocate(int64_t width) { return allocate(rows, width); }
  Tile allocate(int64_t height, int64_t width);
  mlir::Value allocateColumn();

  /// The rows of a value [T, H, W] or [T, HV, W]: made in this kernel, or
  /// copied from memory. Rows behind the last token are zero, or repeat it.
  Tile rowsOf(mlir::Value tensor, bool repeatLast = false);
  /// One number a row of [T, HV]; [HV] is that number for each token.
  mlir::Value columnOf(mlir::Value tensor, bool repeatLast = false);
  void define(mlir::Value tensor, Tile tile) { tiles[tensor] = tile; }
  void defineColumn(mlir::Value tensor, mlir::Value column) {
    columns[tensor] = column;
  }

  /// `x` times a factor of `decay` (and `g`); `x` itself without decay.
  /// `subTile` and `anchor` are read by the factors that have one.
  Tile decayed(mlir::Value x, DecayFactor factor, mlir::Value decay,
               mlir::Value g, int64_t subTile = 1, int64_t anchor = 0);
  /// The transpose of a tile: [width, rows].
  Tile transposed(Tile tile);

  /// `v`, or beta times it.
  Tile written(mlir::Value v, mlir::Value beta);

  void multiply(const TileProduct &product);
  /// `out = A B` over `depth` terms.
  void multiply(Tile out, Tile a, Tile b,
                llvm::function_ref<mlir::Value(mlir::Value)> depth);
  void forEachVector(int64_t width, llvm::function_ref<void(mlir::Value)> body);
  /// Every vector of the chunk's rows.
  void forEachRow(int64_t width,
                  llvm::function_ref<void(mlir::Value, mlir::Value)> body);
  void zero(Tile tile);

  /// Copies a tile's tokens to the memory of a yielded value.
  void store(mlir::Value tensor);
  void storeColumn(mlir::Value tensor);
  /// Zeros in the rows of a padded sequence.
  void zeroRows(mlir::Value tensor);

  bool isScalar(mlir::Value decay) const;
  /// What rounding left out of the sums made in this kernel. Differences of
  /// long sums would lose it: behind a token that forgets everything, slow
  /// decays are the last bits of large numbers.
  void defineLow(mlir::Value decay, Tile tile) { lowTiles[decay] = tile; }
  void defineLowColumn(mlir::Value decay, mlir::Value column) {
    lowColumns[decay] = column;
  }
  /// A cumulative log-decay: its value is `high + low`; `low` may be null.
  struct Sum {
    mlir::Value high, low;
  };
  /// The lanes from `column` on of a row, or its one number in all lanes.
  Sum sumAt(mlir::Value decay, mlir::Value row, mlir::Value column);
  /// The one number of the rows from `row` on.
  Sum sumsFrom(mlir::Value decay, mlir::Value row);
  mlir::Value difference(Sum a, Sum b);
  /// The own step of a row; null without `g`.
  mlir::Value stepAt(mlir::Value g, mlir::Value row, mlir::Value column);
  mlir::Value limit() const { return rowLimit; } ///< rows in use
  mlir::Value count() const { return tokens; }
  mlir::Value lastRow() { return math.sub(tokens, math.index(1)); }

  VectorMath &math;
  VectorMath::Sequence seq;
  mlir::Value head;
  int64_t heads, size, unit, rows;

private:
  using FactorKey = std::tuple<int, void *, void *, int64_t, int64_t>;

  mlir::Value headOf(mlir::Value tensor);
  /// The exponent of a factor for `row`.
  mlir::Value exponent(DecayFactor factor, mlir::Value decay, mlir::Value g,
                       mlir::Value row, mlir::Value column, int64_t subTile,
                       int64_t anchor);
  Tile channelFactor(DecayFactor factor, mlir::Value decay, mlir::Value g,
                     int64_t subTile, int64_t anchor);
  mlir::Value scalarFactor(DecayFactor factor, mlir::Value decay,
                           mlir::Value g);

  mlir::Value firstToken, tokens, rowLimit;
  llvm::DenseMap<mlir::Value, Tile> tiles;
  llvm::DenseMap<mlir::Value, mlir::Value> columns;
  llvm::DenseMap<mlir::Value, Tile> lowTiles;
  llvm::DenseMap<mlir::Value, mlir::Value> lowColumns;
  std::map<FactorKey, Tile> factors;
  std::map<FactorKey, mlir::Value> scalarFactors;
  std::map<std::pair<void *, FactorKey>, Tile> products;
  std::map<void *, Tile> transposes;
  std::map<std::pair<void *, void *>, Tile> writes;
};

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_CHUNKTILES_H
