// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs for an entry point, made up from sizes alone.

#ifndef K3_TOOLS_K3_BENCH_WORKLOAD_H
#define K3_TOOLS_K3_BENCH_WORKLOAD_H

#include "runtime/run/Session.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace k3::bench {

/// Sizes of one benchmark.
struct Sizes {
  int64_t tokens = 1;  // new tokens of each sequence
  int64_t batch = 1;   // sequences
  int64_t context = 0; // tokens that each slot already holds
  /// Dynamic dimensions that are not about sequences, by name.
  std::map<std::string, int64_t> dims;
};

/// One entry point with buffers of fixed content: the same sizes always give
/// the same numbers.
class Workload {
public:
  static Status create(run::Session &session, const run::EntryPlan &entry,
                       const Sizes &sizes, std::unique_ptr<Workload> &out);

  /// Puts every slot back to its context and runs the entry once.
  Status run();

  /// Bytes of weights, activations and states that command `index` names, or
  /// that all of them do, each weight once.
  int64_t commandBytes(size_t index) const;
  int64_t entryBytes() const;

private:
  Workload(run::Session &session, const run::EntryPlan &entry,
           const Sizes &sizes)
      : session(session), entry(entry), sizes(sizes) {}

  Status makeInputs();
  Status makeOutputs();
  Status makeSlots();
  Status moveToDevice(k3_tensor &tensor);
  k3_tensor &add(const run::TensorSpec &spec, std::vector<k3_tensor> &list,
                 const run::Symbols &symbols);
  int64_t bufferBytes(const run::BufferRef &buffer) const;

  run::Session &session;
  const run::EntryPlan &entry;
  Sizes sizes;
  std::vector<int32_t> slots;
  std::vector<k3_tensor> inputs, outputs;
  std::vector<std::vector<uint8_t>> memory;
  std::vector<SpaceBlock> deviceMemory;
};

} // namespace k3::bench

#endif // K3_TOOLS_K3_BENCH_WORKLOAD_H
