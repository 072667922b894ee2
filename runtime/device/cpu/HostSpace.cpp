// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks come from cpu::Memory, copies are memcpy.

#include "runtime/device/cpu/HostSpace.h"

#include "runtime/device/cpu/Memory.h"

#include <cstdlib>
#include <cstring>

using namespace k3;

namespace {

class HostSpace final : public MemorySpace {
public:
  Status allocate(uint64_t bytes, const std::string &what,
                  void *&block) override {
    cpu::Memory memory;
    K3_TRY(memory.reserve(bytes, what));
    block = memory.release();
    return {};
  }
  void release(void *block, uint64_t) override { std::free(block); }
  Status copy(void *to, const void *from, uint64_t bytes) override {
    if (bytes)
      std::memcpy(to, from, bytes);
    return {};
  }
  Status zero(void *to, uint64_t bytes) override {
    if (bytes)
      std::memset(to, 0, bytes);
    return {};
  }
  Status read(void *host, const void *from, uint64_t bytes) override {
    return copy(host, from, bytes);
  }
  Status write(void *to, const void *host, uint64_t bytes) override {
    return copy(to, host, bytes);
  }
  bool isHost() const override { return true; }
};

} // namespace

MemorySpace &cpu::hostSpace() {
  static HostSpace space;
  return space;
}
