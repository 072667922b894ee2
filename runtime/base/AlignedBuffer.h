// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory whose size comes from a file: aligned for vector loads, and refused
// with an error when there is too little.

#ifndef K3_RUNTIME_BASE_ALIGNEDBUFFER_H
#define K3_RUNTIME_BASE_ALIGNEDBUFFER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <utility>

namespace k3 {

/// Owns one 64-byte aligned block. Its content is undefined at first.
class AlignedBuffer {
public:
  static constexpr size_t alignment = 64;

  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer &&other) noexcept { *this = std::move(other); }
  AlignedBuffer &operator=(AlignedBuffer &&other) noexcept {
    std::swap(block, other.block);
    std::swap(count, other.count);
    return *this;
  }
  ~AlignedBuffer();

  /// `what` names the block in the refusal: "weight 'lm_head.weight'".
  static Status allocate(uint64_t bytes, std::string_view what,
                         AlignedBuffer &out);

  uint8_t *data() const { return block; }
  size_t size() const { return count; }
  std::span<uint8_t> span() const { return {block, count}; }

private:
  uint8_t *block = nullptr;
  size_t count = 0;
};

} // namespace k3

#endif // K3_RUNTIME_BASE_ALIGNEDBUFFER_H
