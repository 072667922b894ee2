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
#include <memory>
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
  /// Whether the steps are those of a call with these symbols and this memory.
  bool matches(const Symbols &symbols, const Blocks &blocks) const {
    return valid && values == symbols.all() && memory.sameAs(blocks);
  }

  /// Resolves `entry`. Updated inputs that are not their output's buffer are
  /// copied into it first. `kernels` is the code on a CPU; it is empty for a
  /// device that knows kernels by their number.
  Status resolve(const EntryPlan &entry, std::span<const cpu::KernelFn> kernels,
                 const Symbols &symbols, const Blocks &blocks);
  /// The steps of a call without tokens: updated outputs equal their inputs,
  /// other outputs are zero.
  void resolveEmpty(const EntryPlan &entry, const Blocks &blocks);

  std::span<const cpu::Step> steps() const { return list; }
  /// Another number after each resolution, in this process.
  uint64_t serial() const { return number; }
  /// "step 41 'delta'", or "no step".
  std::string lastName() const;

  /// What an executor keeps with the steps.
  std::shared_ptr<void> prepared;

private:
  void addUpdate(const Update &update);
  Status addCommand(const CommandPlan &command,
                    std::span<const cpu::KernelFn> kernels,
                    const Symbols &symbols);

  void start(const Blocks &blocks);

  bool valid = false;
  uint64_t number = 0;
  std::vector<int64_t> values;
  Blocks memory;
  std::vector<cpu::Step> list;
  std::vector<void *> pointers;
  std::vector<int64_t> dims;
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_STEPLIST_H
