// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots are numbers; the lowest free one is given out first, so that the same
// calls give the same slots.

#include "runtime/state/SlotPool.h"

#include <algorithm>

using namespace k3;
using namespace k3::state;

namespace {

/// Bytes of one slot of a state.
Status slotBytesOf(const StateSpec &state, int64_t capacity, int64_t &bytes) {
  bytes = elementBytes(state.dtype);
  for (int64_t size : state.shape)
    if (__builtin_mul_overflow(bytes, size == -1 ? capacity : size, &bytes))
      return Status::error(Code::Resources, 423,
                           "state '" + state.name +
                               "': the size of a slot overflows");
  return {};
}

} // namespace

Status SlotPool::create(const std::vector<StateSpec> &states, int64_t slots,
                        int64_t capacity, std::unique_ptr<SlotPool> &out,
                        MemorySpace &space) {
  std::unique_ptr<SlotPool> pool(new SlotPool(states, space));
  pool->tokenCapacity = capacity;
  for (const StateSpec &state : states) {
    int64_t bytes, total;
    K3_TRY(slotBytesOf(state, capacity, bytes));
    if (__builtin_mul_overflow(bytes, slots, &total))
      return Status::error(Code::Resources, 423,
                           "state '" + state.name + "': the size of " +
                               std::to_string(slots) + " slots overflows");
    SpaceBlock block;
    K3_TRY(SpaceBlock::allocate(space, uint64_t(total),
                                "state '" + state.name + "' of " +
                                    std::to_string(slots) + " slots",
                                block));
    pool->slotBytes.push_back(bytes);
    pool->blocks.push_back(std::move(block));
  }
  pool->lengths.assign(slots, 0);
  pool->alive.assign(slots, false);
  pool->damaged.assign(slots, false);
  out = std::move(pool);
  return {};
}

Status SlotPool::acquire(int32_t &slot) {
  auto free = std::find(alive.begin(), alive.end(), false);
  if (free == alive.end())
    return Status::error(Code::Resources, 424,
                         "all " + std::to_string(slots()) + " slots are in use",
                         "release a slot, or create the session with more");
  *free = true;
  slot = int32_t(free - alive.begin());
  lengths[slot] = 0;
  damaged[slot] = false;
  return {};
}

Status SlotPool::checkAlive(int32_t slot) const {
  if (slot < 0 || slot >= slots())
    return Status::error(Code::BadInput, 425,
                         "slot " + std::to_string(slot) +
                             " lies outside the pool (wanted 0 to " +
                             std::to_string(slots() - 1) + ")");
  if (!alive[slot])
    return Status::error(Code::BadInput, 425,
                         "slot " + std::to_string(slot) + " is not in use");
  return {};
}

Status SlotPool::checkWhole(int32_t slot) const {
  K3_TRY(checkAlive(slot));
  if (!damaged[slot])
    return {};
  return Status::error(Code::BadInput, 919,
                       "slot " + std::to_string(slot) +
                           " was left half changed by a run that failed",
                       "reset the slot, or load it from a file");
}

Status SlotPool::release(int32_t slot) {
  K3_TRY(checkAlive(slot));
  alive[slot] = false;
  return {};
}

Status SlotPool::reset(int32_t slot) {
  K3_TRY(checkAlive(slot));
  lengths[slot] = 0;
  damaged[slot] = false;
  return {};
}

Status SlotPool::fork(int32_t slot, int32_t &copy) {
  K3_TRY(checkWhole(slot));
  int32_t fresh;
  K3_TRY(acquire(fresh));
  int64_t tokens = lengths[slot];
  for (size_t i = 0; tokens > 0 && i < specs.size(); ++i) {
    std::span<uint8_t> from = content(i, slot, tokens);
    if (Status status = memory.copy(content(i, fresh, tokens).data(),
                                    from.data(), from.size());
        !status.ok()) {
      alive[fresh] = false;
      return status;
    }
  }
  lengths[fresh] = tokens;
  copy = fresh;
  return {};
}

Status SlotPool::read(size_t state, int32_t slot, int64_t tokens,
                      std::vector<uint8_t> &copy,
                      std::span<const uint8_t> &out) const {
  out = content(state, slot, tokens);
  if (memory.isHost() || out.empty())
    return {};
  copy.resize(out.size());
  K3_TRY(memory.read(copy.data(), out.data(), out.size()));
  out = copy;
  return {};
}

Status SlotPool::write(int32_t slot, int64_t tokens,
                       std::span<const std::span<const uint8_t>> contents) {
  // Until all of it is there the slot holds neither the old nor the new.
  damaged[slot] = true;
  for (size_t i = 0; i < contents.size(); ++i)
    if (!contents[i].empty())
      K3_TRY(memory.write(content(i, slot, tokens).data(), contents[i].data(),
                          contents[i].size()));
  damaged[slot] = false;
  lengths[slot] = tokens;
  return {};
}

std::span<uint8_t> SlotPool::content(size_t state, int32_t slot,
                                     int64_t tokens) const {
  int64_t bytes = slotBytes[state];
  if (bytes == 0)
    return {};
  uint8_t *begin = blocks[state].data() + bytes * slot;
  if (specs[state].perToken())
    bytes = bytes / tokenCapacity * tokens;
  return {begin, size_t(bytes)};
}

std::vector<int64_t> SlotPool::contentShape(size_t state,
                                            int64_t tokens) const {
  std::vector<int64_t> shape = specs[state].shape;
  if (specs[state].perToken())
    shape[0] = tokens;
  return shape;
}
