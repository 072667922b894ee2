// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of a tile a thread holds. Every layout of the dialect is a sum
// of a part that depends on the thread and a part that depends on the register,
// which is all that lowering and verifiers need to know of it.

#ifndef K3_DIALECT_TILE_IR_THREADMAP_H
#define K3_DIALECT_TILE_IR_THREADMAP_H

#include "k3/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/SmallVector.h"

namespace k3::tile {

/// scale * ((index / divisor) mod modulus), of the lane or of the warp.
struct ThreadTerm {
  bool ofWarp = false;
  int64_t divisor = 1, modulus = 1, scale = 1;
};

/// Register r of a thread holds the element whose coordinate along dimension d
/// is sum(base[d]) + offsets[r][d].
struct ThreadMap {
  llvm::SmallVector<llvm::SmallVector<ThreadTerm, 2>, 3> base;
  llvm::SmallVector<llvm::SmallVector<int64_t, 3>> offsets;

  unsigned rank() const { return base.size(); }
  unsigned registers() const { return offsets.size(); }
  /// The register with these offsets; -1 if there is none.
  int find(llvm::ArrayRef<int64_t> offset) const;
  /// How many consecutive registers hold neighbours of the last dimension: the
  /// longest run, a power of two up to `limit`, that divides and aligns all.
  int64_t run(int64_t limit) const;
};

/// The map of a tile's layout. Fails with a reason when the tile does not fit
/// its layout, or has none.
mlir::FailureOr<ThreadMap>
threadMap(mlir::RankedTensorType type,
          llvm::function_ref<mlir::InFlightDiagnostic()> error);

/// The same for a tile that has been verified.
ThreadMap threadMap(mlir::RankedTensorType type);

/// Warps that a layout is for: the acc layout of `type` has one for 16 rows.
int64_t warpsOf(mlir::RankedTensorType type);

/// Lanes (xor masks) over which copies of dimension `axis` are spread.
llvm::SmallVector<int64_t> laneMasks(const ThreadMap &map, unsigned axis);

/// Whether dimension `axis` is spread over warps.
bool spreadOverWarps(const ThreadMap &map, unsigned axis);

} // namespace k3::tile

#endif // K3_DIALECT_TILE_IR_THREADMAP_H
