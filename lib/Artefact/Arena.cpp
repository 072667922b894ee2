// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Best fit among free blocks of one symbol.

#include "Arena.h"

using namespace k3;

/// Sizes of one symbol in order: by what grows, then by what is constant.
static std::pair<int64_t, int64_t> sizeOf(const plan::Extent &extent) {
  return {extent.scale, extent.bytes};
}

int Arena::take(const plan::Extent &extent) {
  int best = -1;
  for (int i = 0; i < int(blocks.size()); ++i) {
    if (!isFree[i] || blocks[i].symbol != extent.symbol)
      continue;
    if (best < 0) {
      best = i;
      continue;
    }
    bool fits = sizeOf(blocks[i]) >= sizeOf(extent);
    bool bestFits = sizeOf(blocks[best]) >= sizeOf(extent);
    // The smallest that fits; when none does, the largest grows least.
    bool better = fits != bestFits
                      ? fits
                      : (fits ? sizeOf(blocks[i]) < sizeOf(blocks[best])
                              : sizeOf(blocks[i]) > sizeOf(blocks[best]));
    if (better)
      best = i;
  }
  if (best < 0) {
    blocks.push_back(extent);
    isFree.push_back(false);
    return int(blocks.size()) - 1;
  }
  blocks[best].scale = std::max(blocks[best].scale, extent.scale);
  blocks[best].bytes = std::max(blocks[best].bytes, extent.bytes);
  isFree[best] = false;
  return best;
}
