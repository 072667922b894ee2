// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where states and workspaces live.

#ifndef K3_RUNTIME_DEVICE_MEMORYSPACE_H
#define K3_RUNTIME_DEVICE_MEMORYSPACE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <utility>

namespace k3 {

/// Memory of the host or of a device: how it is taken, filled and copied. What
/// runs on it before and after runs in the order of the calls.
class MemorySpace {
public:
  virtual ~MemorySpace() = default;

  /// At least `bytes` bytes with undefined content, aligned to 64 bytes; none
  /// for 0 bytes. `what` names the block in a refusal.
  virtual Status allocate(uint64_t bytes, const std::string &what,
                          void *&block) = 0;
  virtual void release(void *block, uint64_t bytes) = 0;

  /// Inside the space.
  virtual Status copy(void *to, const void *from, uint64_t bytes) = 0;
  virtual Status zero(void *to, uint64_t bytes) = 0;
  /// From and to the host; complete on return.
  virtual Status read(void *host, const void *from, uint64_t bytes) = 0;
  virtual Status write(void *to, const void *host, uint64_t bytes) = 0;

  /// Whether the host may follow the pointers.
  virtual bool isHost() const = 0;
};

/// Owns a block of a space, which must outlive it.
class SpaceBlock {
public:
  SpaceBlock() = default;
  SpaceBlock(SpaceBlock &&other) noexcept { *this = std::move(other); }
  SpaceBlock &operator=(SpaceBlock &&other) noexcept {
    std::swap(space, other.space);
    std::swap(block, other.block);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~SpaceBlock() { clear(); }

  static Status allocate(MemorySpace &space, uint64_t bytes,
                         const std::string &what, SpaceBlock &out) {
    SpaceBlock fresh;
    K3_TRY(space.allocate(bytes, what, fresh.block));
    fresh.space = &space;
    fresh.bytes = bytes;
    out = std::move(fresh);
    return {};
  }

  void clear() {
    if (block)
      space->release(block, bytes);
    block = nullptr;
    bytes = 0;
  }

  uint8_t *data() const { return static_cast<uint8_t *>(block); }
  uint64_t size() const { return bytes; }

private:
  MemorySpace *space = nullptr;
  void *block = nullptr;
  uint64_t bytes = 0;
};

} // namespace k3

#endif // K3_RUNTIME_DEVICE_MEMORYSPACE_H
