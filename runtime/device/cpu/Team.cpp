// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parallel region a run. Inside it a launch costs one atomic add a chunk
// of workgroups and one barrier; a chain of single-workgroup launches costs
// nothing but its own work.

#include "runtime/device/cpu/Team.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <immintrin.h>
#include <omp.h>
#include <sched.h>
#include <thread>

using namespace k3;
using namespace k3::cpu;

namespace {

/// A copy or fill is shared in pieces of this many bytes.
constexpr int64_t pieceBytes = 256 << 10;

/// Round to nearest, subnormals kept, exceptions masked: the caller's
/// floating-point modes do not change results.
class DefaultFloatModes {
public:
  DefaultFloatModes() : saved(_mm_getcsr()) {
    constexpr unsigned powerOn = 0x1f80;
    if (saved != powerOn)
      _mm_setcsr(powerOn);
  }
  ~DefaultFloatModes() { _mm_setcsr(saved); }

private:
  unsigned saved;
};

int64_t nowNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

int64_t pieces(const Step &step) {
  return step.kind == Step::Launch
             ? step.workgroups
             : step.bytes / pieceBytes + (step.bytes % pieceBytes != 0);
}

void runPiece(const Step &step, int64_t piece, void *scratch) {
  if (step.kind == Step::Launch)
    return step.kernel(piece, step.buffers, step.dims, scratch);
  int64_t begin = piece * pieceBytes;
  int64_t size = std::min(pieceBytes, step.bytes - begin);
  if (step.kind == Step::Copy)
    std::memmove(static_cast<char *>(step.buffers[1]) + begin,
                 static_cast<const char *>(step.buffers[0]) + begin, size);
  else
    std::memset(static_cast<char *>(step.buffers[0]) + begin, 0, size);
}

void runAlone(std::span<const Step> steps, void *scratch) {
  for (const Step &step : steps)
    for (int64_t piece = 0, end = pieces(step); piece < end; ++piece)
      runPiece(step, piece, scratch);
}

} // namespace

int k3::cpu::allowedCpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(CPU_COUNT(&set), 1);
  return std::max(int(std::thread::hardware_concurrency()), 1);
}

Status Team::create(int threads, uint64_t scratchBytes,
                    std::unique_ptr<Team> &out) {
  // About 50 us of looking; with more threads than CPUs a waiter must make
  // room at once.
  int spins = threads <= allowedCpus() ? 1000 : 0;
  std::unique_ptr<Team> team(new Team(threads, spins));
  uint64_t total;
  if (scratchBytes > UINT64_MAX - 63 ||
      __builtin_mul_overflow((scratchBytes + 63) / 64 * 64, uint64_t(threads),
                             &total))
    return Status::error(Code::Resources, 423,
                         "scratch memory: the size of " +
                             std::to_string(threads) + " x " +
                             sizeText(scratchBytes) + " overflows");
  team->scratchStride = (scratchBytes + 63) / 64 * 64;
  K3_TRY(team->scratch.reserve(total, "scratch memory"));
  out = std::move(team);
  return {};
}

void Team::plan(std::span<const Step> list) {
  steps = list;
  phases.clear();
  for (const Step &step : steps) {
    bool worthSharing = pieces(step) > 1 && threads > 1;
    if (phases.empty() || worthSharing)
      phases.push_back({worthSharing ? &step : nullptr, {}});
    if (worthSharing)
      continue;
    std::span<const Step> &alone = phases.back().alone;
    alone = alone.empty() ? std::span(&step, 1)
                          : std::span(alone.data(), alone.size() + 1);
  }
  if (numCounters < phases.size()) {
    counters = std::make_unique<Counter[]>(phases.size());
    numCounters = phases.size();
  }
}

void Team::share(const Step &step, Counter &counter, int thread, int team) {
  int64_t total = pieces(step);
  // Small enough that the threads end together, large enough that taking a
  // chunk is rare.
  int64_t chunk = std::max<int64_t>(total / (int64_t(team) * 16), 1);
  void *mine = scratchOf(thread);
  int64_t begin = thread * chunk;
  while (begin < total) {
    int64_t end = std::min(begin + chunk, total);
    for (int64_t piece = begin; piece < end; ++piece)
      runPiece(step, piece, mine);
    begin =
        team * chunk + counter.next.fetch_add(chunk, std::memory_order_relaxed);
  }
}

void Team::work(int thread, int team) {
  DefaultFloatModes modes;
  for (size_t i = 0; i < phases.size(); ++i) {
    const Phase &phase = phases[i];
    if (phase.shared)
      share(*phase.shared, counters[i], thread, team);
    auto alone = [&] { runAlone(phase.alone, scratchOf(thread)); };
    if (i + 1 < phases.size())
      barrier.arrive(team, alone);
    else
      barrier.leave(team, alone);
  }
}

void Team::runPhases() {
  bool anyShared = phases.size() > 1 || (!phases.empty() && phases[0].shared);
  if (threads == 1 || !anyShared) {
    DefaultFloatModes modes;
    for (const Phase &phase : phases) {
      if (phase.shared)
        runAlone({phase.shared, 1}, scratchOf(0));
      runAlone(phase.alone, scratchOf(0));
    }
    return;
  }
  for (size_t i = 0; i < phases.size(); ++i)
    counters[i].next.store(0, std::memory_order_relaxed);
#pragma omp parallel num_threads(threads) default(none)
  work(omp_get_thread_num(), omp_get_num_threads());
}

void Team::runTraced(const Trace &trace) {
  std::span<const Step> all = steps;
  for (const Step &step : all) {
    plan({&step, 1});
    int64_t start = nowNs();
    runPhases();
    trace.fn(trace.user, step.label, start, nowNs(), pieces(step));
  }
  plan(all);
}

void Team::run(const Trace &trace) {
  if (trace.fn)
    runTraced(trace);
  else
    runPhases();
}
