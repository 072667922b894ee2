// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workspace of an entry point: blocks that values share one after another.

#ifndef K3_LIB_ARTEFACT_ARENA_H
#define K3_LIB_ARTEFACT_ARENA_H

#include "k3/Artefact/Plan.h"

namespace k3 {

/// Gives out blocks in the order of the commands. A block serves values of one
/// symbol and is as large as the largest of them.
class Arena {
public:
  /// A free block that fits best, grown when it has to be, or a new one.
  int take(const plan::Extent &extent);
  void release(int block) { isFree[block] = true; }

  std::vector<plan::Extent> blocks;

private:
  std::vector<bool> isFree;
};

} // namespace k3

#endif // K3_LIB_ARTEFACT_ARENA_H
