// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of sequences: one block a state, all slots of a session in it.

#ifndef K3_RUNTIME_STATE_SLOTPOOL_H
#define K3_RUNTIME_STATE_SLOTPOOL_H

#include "runtime/base/Status.h"
#include "runtime/device/cpu/HostSpace.h"
#include "runtime/state/StateSpec.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace k3::state {

/// A slot that holds no token has undefined bytes; kernels do not read them.
/// Not thread-safe: the session's busy flag guards it.
class SlotPool {
public:
  /// Allocates `slots` slots of `capacity` tokens. `states` and `space` must
  /// outlive the pool.
  static Status create(const std::vector<StateSpec> &states, int64_t slots,
                       int64_t capacity, std::unique_ptr<SlotPool> &out,
                       MemorySpace &space = cpu::hostSpace());

  Status acquire(int32_t &slot);
  Status release(int32_t slot);
  Status reset(int32_t slot);
  Status fork(int32_t slot, int32_t &copy);
  /// Tokens that a slot in use holds.
  int64_t length(int32_t slot) const { return lengths[slot]; }
  void setLength(int32_t slot, int64_t tokens) { lengths[slot] = tokens; }

  /// Refuses a slot that is outside the pool or not in use.
  Status checkAlive(int32_t slot) const;
  /// The same, and a slot that a run left half changed.
  Status checkWhole(int32_t slot) const;
  /// Says that a run left the slot half changed. A reset makes it whole.
  void damage(int32_t slot) { damaged[slot] = true; }

  int64_t slots() const { return int64_t(lengths.size()); }
  int64_t capacity() const { return tokenCapacity; }
  const std::vector<StateSpec> &states() const { return specs; }

  /// The pool of a state, slot after slot.
  void *base(size_t state) const { return blocks[state].data(); }
  /// Bytes of all slots of a state.
  int64_t poolBytes(size_t state) const { return slotBytes[state] * slots(); }
  /// The bytes of `state` that mean something in a slot of `tokens` tokens:
  /// all of them, or the rows written so far. They are in the pool's space.
  std::span<uint8_t> content(size_t state, int32_t slot, int64_t tokens) const;
  /// The same for the host: `copy` keeps them when the space is not the host's.
  Status read(size_t state, int32_t slot, int64_t tokens,
              std::vector<uint8_t> &copy, std::span<const uint8_t> &out) const;
  /// Makes a slot of `tokens` tokens of contents of the host, a state each.
  Status write(int32_t slot, int64_t tokens,
               std::span<const std::span<const uint8_t>> contents);
  MemorySpace &space() const { return memory; }
  /// The shape of `content`.
  std::vector<int64_t> contentShape(size_t state, int64_t tokens) const;

private:
  SlotPool(const std::vector<StateSpec> &states, MemorySpace &space)
      : specs(states), memory(space) {}

  const std::vector<StateSpec> &specs;
  MemorySpace &memory;
  int64_t tokenCapacity = 0;
  std::vector<int64_t> slotBytes;
  std::vector<SpaceBlock> blocks;
  std::vector<int64_t> lengths;
  std::vector<bool> alive, damaged;
};

} // namespace k3::state

#endif // K3_RUNTIME_STATE_SLOTPOOL_H
