// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a chunk on tiles.

#ifndef K3_CONVERSION_KERNELTOLLVM_LOWERCHUNKS_H
#define K3_CONVERSION_KERNELTOLLVM_LOWERCHUNKS_H

#include "ChunkTiles.h"

namespace k3 {

Tile lowerChunkGram(ChunkTiles &tiles, ChunkGramOp op);

/// The state [K, V] of one head while a workgroup walks its chunks, and the
/// normaliser [K] beside it.
class ChunkState {
public:
  ChunkState(ChunkTiles &tiles, ChunkStepOp op);

  /// Takes the pool's content, or zeros when the sequence is fresh.
  void load();
  void step();
  void store();

private:
  void copy(bool toPool);
  void copyNormalizer(bool toPool);
  void stepNormalizer();
  /// The decay of the whole chunk for the key channels from `k` on.
  mlir::Value chunkDecay(mlir::Value k);
  void addProducts(Tile keys, Tile values, bool decays);

  ChunkTiles &tiles;
  VectorMath &math;
  ChunkStepOp op;
  int64_t keyWidth, valueWidth;
  Tile state;
  mlir::Value normalizer; // [K] padded; null without
};

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_LOWERCHUNKS_H
