// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned host memory through which small inputs reach a device without a wait.

#ifndef K3_RUNTIME_DEVICE_CUDA_STAGING_H
#define K3_RUNTIME_DEVICE_CUDA_STAGING_H

#include "runtime/device/cuda/Queue.h"

#include <vector>

namespace k3::cuda {

/// Pages that are free again once the stream has passed their copies; new ones
/// are made when none is, so that nobody waits. A page that a capture read
/// from is kept as it is, because the graph will read it again.
class Staging {
public:
  explicit Staging(Queue &queue) : queue(queue) {}
  ~Staging();
  Staging(const Staging &) = delete;

  /// A page of at least `bytes` bytes.
  Status take(uint64_t bytes, uint8_t *&out);
  /// Copies the start of the page taken last, and gives it back.
  Status send(CUdeviceptr to, uint64_t bytes);

private:
  struct Page {
    uint8_t *memory = nullptr;
    uint64_t bytes = 0;
    CUevent sent = nullptr;
    bool inUse = false; // an event was recorded and not yet seen
    bool kept = false;
  };

  Status isFree(Page &page, bool &free);
  Status add(uint64_t bytes);

  Queue &queue;
  std::vector<Page> pages;
  size_t taken = 0;
};

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_STAGING_H
