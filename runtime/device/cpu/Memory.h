// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for states, workspaces and scratch: aligned, counted, refused with
// its size instead of thrown.

#ifndef K3_RUNTIME_DEVICE_CPU_MEMORY_H
#define K3_RUNTIME_DEVICE_CPU_MEMORY_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace k3::cpu {

/// Owns one 64-byte aligned block with undefined content.
class Memory {
public:
  static constexpr size_t alignment = 64;

  Memory() = default;
  Memory(Memory &&other) noexcept { *this = std::move(other); }
  Memory &operator=(Memory &&other) noexcept {
    std::swap(block, other.block);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~Memory();

  /// Makes the block at least `wanted` bytes; never shrinks it. Growing
  /// forgets the content. `what` names the block in the refusal.
  Status reserve(uint64_t wanted, const std::string &what);

  /// Gives the block away, to be freed with free().
  uint8_t *release() {
    bytes = 0;
    return std::exchange(block, nullptr);
  }

  uint8_t *data() const { return block; }
  size_t size() const { return bytes; }

private:
  uint8_t *block = nullptr;
  size_t bytes = 0;
};

/// "21.4 GiB", "812 bytes".
std::string sizeText(uint64_t bytes);

} // namespace k3::cpu

#endif // K3_RUNTIME_DEVICE_CPU_MEMORY_H
