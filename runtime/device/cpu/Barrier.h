// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier for launches of a few microseconds: waiters spin for a while
// before they sleep, and the last to arrive may work before it lets go.

#ifndef K3_RUNTIME_DEVICE_CPU_BARRIER_H
#define K3_RUNTIME_DEVICE_CPU_BARRIER_H

#include <atomic>
#include <cstdint>

namespace k3::cpu {

class Barrier {
public:
  /// `spins` is how often a waiter looks before it sleeps.
  explicit Barrier(int spins) : spins(spins) {}

  /// Waits for `team` threads. The last one runs `last()` while the others
  /// still wait.
  template <class Last> void arrive(int team, Last last) {
    uint32_t seen = epoch.load(std::memory_order_relaxed);
    if (leave(team, last)) {
      epoch.fetch_add(1, std::memory_order_release);
      epoch.notify_all();
      return;
    }
    for (int i = 0; i < spins; ++i) {
      if (epoch.load(std::memory_order_acquire) != seen)
        return;
      __builtin_ia32_pause();
    }
    while (epoch.load(std::memory_order_acquire) == seen)
      epoch.wait(seen, std::memory_order_acquire);
  }

  /// Arrives without waiting for the others; true for the last one, after
  /// `last()`. For the end of a run, when something else joins the threads.
  template <class Last> bool leave(int team, Last last) {
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != team)
      return false;
    last();
    arrived.store(0, std::memory_order_relaxed);
    return true;
  }

private:
  alignas(64) std::atomic<int> arrived{0};
  alignas(64) std::atomic<uint32_t> epoch{0};
  const int spins;
};

} // namespace k3::cpu

#endif // K3_RUNTIME_DEVICE_CPU_BARRIER_H
