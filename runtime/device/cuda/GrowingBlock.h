// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block of device memory, used again from call to call.

#ifndef K3_RUNTIME_DEVICE_CUDA_GROWINGBLOCK_H
#define K3_RUNTIME_DEVICE_CUDA_GROWINGBLOCK_H

#include "runtime/device/cuda/Queue.h"

#include <vector>

namespace k3::cuda {

/// Never shrinks. Growing forgets the content and may move it; a block that a
/// caller's capture has seen is kept beside the new one, since the graph still
/// uses it.
class GrowingBlock {
public:
  GrowingBlock(Queue &queue, MemoryUse use) : queue(queue), space(queue, use) {}

  Status reserve(uint64_t wanted, const std::string &what);
  uint8_t *data() const { return block.data(); }

private:
  Queue &queue;
  QueueSpace space;
  SpaceBlock block;
  std::vector<SpaceBlock> kept;
  bool captured = false;
};

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_GROWINGBLOCK_H
