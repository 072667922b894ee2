// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a list of steps on a team of threads, one after the other, the
// workgroups of each shared out.

#ifndef K3_RUNTIME_DEVICE_CPU_TEAM_H
#define K3_RUNTIME_DEVICE_CPU_TEAM_H

#include "runtime/device/cpu/Barrier.h"
#include "runtime/device/cpu/Kernel.h"
#include "runtime/device/cpu/Memory.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace k3::cpu {

/// Called on the caller's thread after a step; times are of the monotonic
/// clock.
struct Trace {
  void (*fn)(void *user, const char *label, int64_t startNs, int64_t endNs,
             int64_t workgroups) = nullptr;
  void *user = nullptr;
};

/// The number of CPUs that this process may use.
int allowedCpus();

/// Threads come from OpenMP and are kept by it between calls. Not
/// thread-safe: one run at a time.
class Team {
public:
  /// `threads` workers, each with `scratchBytes` of its own.
  static Status create(int threads, uint64_t scratchBytes,
                       std::unique_ptr<Team> &out);

  /// Prepares the order of work for `steps`, which must outlive the runs.
  void plan(std::span<const Step> steps);

  /// Runs the planned steps. The result does not depend on the number of
  /// threads: each workgroup writes what no other one reads.
  void run(const Trace &trace);

  int size() const { return threads; }

private:
  Team(int threads, int spins) : threads(threads), barrier(spins) {}

  /// A launch shared by all, then steps too small to share, which the last
  /// thread to finish the launch runs on its own.
  struct Phase {
    const Step *shared = nullptr;
    std::span<const Step> alone;
  };
  struct alignas(64) Counter {
    std::atomic<int64_t> next{0};
  };

  void work(int thread, int team);
  void share(const Step &step, Counter &counter, int thread, int team);
  void runPhases();
  void runTraced(const Trace &trace);
  void *scratchOf(int thread) const {
    return scratch.data() + uint64_t(thread) * scratchStride;
  }

  const int threads;
  uint64_t scratchStride = 0;
  Memory scratch;
  std::span<const Step> steps;
  std::vector<Phase> phases;
  std::unique_ptr<Counter[]> counters;
  size_t numCounters = 0;
  Barrier barrier;
};

} // namespace k3::cpu

#endif // K3_RUNTIME_DEVICE_CPU_TEAM_H
