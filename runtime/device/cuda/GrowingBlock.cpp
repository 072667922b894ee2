// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The old block goes before the new one comes: both may not fit.

#include "runtime/device/cuda/GrowingBlock.h"

using namespace k3;
using namespace k3::cuda;

Status GrowingBlock::reserve(uint64_t wanted, const std::string &what) {
  bool capturing = false;
  K3_TRY(queue.isCapturing(capturing));
  if (wanted > block.size()) {
    if (captured)
      kept.push_back(std::move(block));
    captured = false;
    block.clear();
    SpaceBlock fresh;
    K3_TRY(SpaceBlock::allocate(space, wanted, what, fresh));
    block = std::move(fresh);
  }
  captured |= capturing;
  return {};
}
