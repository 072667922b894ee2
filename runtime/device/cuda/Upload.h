// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large amounts of host memory to a device, through pinned pages.

#ifndef K3_RUNTIME_DEVICE_CUDA_UPLOAD_H
#define K3_RUNTIME_DEVICE_CUDA_UPLOAD_H

#include "runtime/device/cuda/Queue.h"

#include <array>
#include <span>

namespace k3::cuda {

/// Two pages take turns: one is filled while the other is sent. For loading,
/// not for calls, since it waits.
class Upload {
public:
  explicit Upload(Queue &queue) : queue(queue) {}
  ~Upload();
  Upload(const Upload &) = delete;

  /// `from` is free again on return, the copy may still be on its way.
  Status send(CUdeviceptr to, std::span<const uint8_t> from);

private:
  struct Page {
    void *memory = nullptr;
    CUevent sent = nullptr;
    bool inUse = false;
  };
  Status prepare(Page &page);

  Queue &queue;
  std::array<Page, 2> pages;
  size_t next = 0;
};

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_UPLOAD_H
