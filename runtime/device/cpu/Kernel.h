// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calling convention of generated CPU kernels (docs/ArtefactFormat.md).

#ifndef K3_RUNTIME_DEVICE_CPU_KERNEL_H
#define K3_RUNTIME_DEVICE_CPU_KERNEL_H

#include <cstdint>

namespace k3::cpu {

using KernelFn = void (*)(int64_t workgroup, void *const *buffers,
                          const int64_t *dims, void *scratch);

/// One command with everything resolved: pointers, dimensions, workgroups.
struct Step {
  enum Kind : uint8_t { Launch, Copy, Fill };

  Kind kind = Launch;
  /// Of a launch: the kernel's number in the model, and its code on a CPU.
  int32_t number = -1;
  KernelFn kernel = nullptr;
  /// Launch: the kernel's buffers. Copy: source, destination. Fill: target.
  void *const *buffers = nullptr;
  const int64_t *dims = nullptr;
  uint32_t numBuffers = 0, numDims = 0;
  int64_t workgroups = 0;
  /// Of a copy or fill.
  int64_t bytes = 0;
  const char *label = "";
};

} // namespace k3::cpu

#endif // K3_RUNTIME_DEVICE_CPU_KERNEL_H
