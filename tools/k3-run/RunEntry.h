// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one entry point on tensors from files, and saves what it gives.

#ifndef K3_TOOLS_K3_RUN_RUNENTRY_H
#define K3_TOOLS_K3_RUN_RUNENTRY_H

#include "ModelSession.h"
#include "TensorFiles.h"

namespace k3::run {

/// `--in` and `--out` are matched with the entry's arguments by name. A
/// language model's `cu_seqlens` and `slots` default to one sequence in a
/// fresh slot, or in that of `--load-state`.
class EntryCall {
public:
  EntryCall(ModelSession &opened, const Options &options)
      : opened(opened), options(options) {}

  /// Reads the inputs and checks where outputs go, before any work is done.
  Failure read();
  /// How many slots the session needs.
  int64_t slots() const { return slotCount; }
  Failure run();

private:
  Failure readInputs();
  Failure countSlots();
  Failure fillSlots();
  Failure allocateOutputs(const std::vector<k3_tensor> &in);
  bool wants(std::string_view input) const;
  void addSequence();

  ModelSession &opened;
  const Options &options;
  std::vector<TensorPlace> sources, targets;
  std::vector<k3_tensor> wanted; // the entry's inputs
  std::vector<OwnedTensor> inputs, outputs;
  int64_t slotCount = 1;
};

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_RUNENTRY_H
