// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a session's kernels run. Everything a call does beyond checking its
// arguments goes through one of these.

#ifndef K3_RUNTIME_RUN_EXECUTOR_H
#define K3_RUNTIME_RUN_EXECUTOR_H

#include "runtime/device/MemorySpace.h"
#include "runtime/device/cpu/Team.h"
#include "runtime/run/Arguments.h"
#include "runtime/run/StepList.h"

namespace k3::run {

/// How far a run came.
struct Progress {
  /// Some steps may have run, though not all of them.
  bool begun = false;
  /// The steps only went into a caller's graph.
  bool captured = false;
};

class Executor {
public:
  virtual ~Executor() = default;

  /// Refuses when the device is lost, without asking it.
  virtual Status usable() const = 0;
  /// Where states live.
  virtual MemorySpace &states() = 0;
  /// Finds memory that kernels reach for every input and output and lists it
  /// in `blocks`. The tensors must live until the run.
  virtual Status place(const EntryPlan &entry, const Arguments &arguments,
                       Blocks &blocks) = 0;
  /// The workspace, of at least `bytes` bytes. Its content is undefined.
  virtual Status workspace(uint64_t bytes, const std::string &what,
                           uint8_t *&out) = 0;
  /// Runs the steps on what was placed last, in the order of all calls. Host
  /// outputs hold their values on return.
  virtual Status run(StepList &steps, const cpu::Trace &trace,
                     Progress &progress) = 0;
  /// Waits until everything has run.
  virtual Status wait() = 0;
  /// Goes on with a caller's stream.
  virtual Status useStream(void *stream) = 0;
  /// Threads of the host that run kernels.
  virtual int threads() const = 0;
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_EXECUTOR_H
