// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry point's commands with pointers, dimensions and workgroup counts
// filled in for one set of buffers.

#ifndef K3_RUNTIME_RUN_STEPLIST_H
#define K3_RUNTIME_RUN_STEPLIST_H

#include "runtime/base/Status.h"
#include "runtime/device/cpu/Kernel.h"
#include "runtime/run/Symbols.h"

#include <array>
#include <span>
#include <vector>

namespace k3::run {

/// A piece of memory that commands may address.
struct Block {
  void *data = nullptr;
  int64_t bytes = 0;

  bool operator==(const Block &) const = default;
};

/// The memory behind every `Place`, in the order of its indices.
struct Blocks {
  std::array<std::vector<Block>, 5> places;

  std::vector<Block> &of(Place place) { return places[size_t(place)]; }
  const std::vector<Block> &of(Place place) const {
    return places[size_t(place)];
  }
  /// Whether a call may reuse what was resolved for another one. Weights never
  /// move, so they are not compared.
  bool sameAs(const Blocks &other) const {
    for (size_t i = 0; i < places.size(); ++i)
      if (i != size_t(Place::Weight) && places[i] != other.places[i])
        return false;
    return true;
  }
};

class StepList {
public:
  /// Resolves `entry`; keeps the earlier result, and says so in `changed`,
  /// when symbols and memory are those of the last call. Updated inputs that
  /// are not their output's buffer are copied into it first.
  Status resolve(const EntryPlan &entry, std::span<const cpu::KernelFn> kernels,
                 const Symbols &symbols, const Blocks &blocks, bool &changed);

  std::span<const cpu::Step> steps() const { return list; }

private:
  Status addUpdate(const Update &update);
  Status addCommand(const CommandPlan &command,
                    std::span<const cpu::KernelFn> kernels,
                    const Symbols &symbols);

  bool valid = false;
  std::vector<int64_t> values;
  Blocks memory;
  std::vector<cpu::Step> list;
  std::vector<void *> pointers;
  std::vector<int64_t> dims;
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_STEPLIST_H
