// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order, sharing and memory of a team's steps.

#include "runtime/device/cpu/Team.h"

#include <cfenv>
#include <gtest/gtest.h>
#include <numeric>

using namespace k3;
using namespace k3::cpu;

namespace {

/// buffers[0][group] += 1.
void touch(int64_t group, void *const *buffers, const int64_t *, void *) {
  static_cast<int32_t *>(buffers[0])[group] += 1;
}

/// buffers[1][0] = sum of buffers[0], dims[0] of them.
void sum(int64_t, void *const *buffers, const int64_t *dims, void *) {
  const int32_t *values = static_cast<const int32_t *>(buffers[0]);
  *static_cast<int32_t *>(buffers[1]) =
      std::accumulate(values, values + dims[0], 0);
}

/// Fills the scratch and checks that no other thread has written it.
void scribble(int64_t group, void *const *buffers, const int64_t *dims,
              void *scratch) {
  volatile int64_t *mine = static_cast<int64_t *>(scratch);
  for (int64_t i = 0; i < dims[0]; ++i)
    mine[i] = group;
  bool same = uintptr_t(scratch) % 64 == 0;
  for (int64_t i = 0; i < dims[0]; ++i)
    same &= mine[i] == group;
  static_cast<int32_t *>(buffers[0])[group] = same;
}

Step launch(KernelFn kernel, void *const *buffers, const int64_t *dims,
            int64_t workgroups) {
  Step step;
  step.kernel = kernel;
  step.buffers = buffers;
  step.dims = dims;
  step.workgroups = workgroups;
  step.label = "step";
  return step;
}

class TeamTest : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    ASSERT_TRUE(Team::create(GetParam(), 4096, team).ok());
  }
  void run(const std::vector<Step> &steps, Trace trace = {}) {
    team->plan(steps);
    team->run(trace);
  }
  std::unique_ptr<Team> team;
};

TEST_P(TeamTest, runsEveryWorkgroupOnce) {
  for (int64_t count : {0, 1, 2, 3, 7, 64, 1000}) {
    std::vector<int32_t> seen(count + 1, 0);
    void *buffers[] = {seen.data()};
    run({launch(touch, buffers, nullptr, count)});
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(seen[i], 1) << i << " of " << count;
    EXPECT_EQ(seen[count], 0);
  }
}

TEST_P(TeamTest, finishesAStepBeforeTheNext) {
  constexpr int64_t count = 100;
  std::vector<int32_t> seen(count, 0);
  int32_t totals[3] = {};
  int64_t dims[] = {count};
  void *first[] = {seen.data()};
  void *sums[3][2] = {{seen.data(), &totals[0]},
                      {seen.data(), &totals[1]},
                      {seen.data(), &totals[2]}};
  std::vector<Step> steps;
  for (int i = 0; i < 3; ++i) {
    steps.push_back(launch(touch, first, nullptr, count));
    steps.push_back(launch(sum, sums[i], dims, 1));
  }
  for (int repeat = 1; repeat <= 200; ++repeat) {
    std::fill(seen.begin(), seen.end(), 0);
    run(steps);
    ASSERT_EQ(totals[0], count);
    ASSERT_EQ(totals[1], 2 * count);
    ASSERT_EQ(totals[2], 3 * count);
  }
}

TEST_P(TeamTest, givesEachThreadItsOwnScratch) {
  constexpr int64_t count = 500;
  std::vector<int32_t> good(count, 0);
  int64_t dims[] = {512};
  void *buffers[] = {good.data()};
  run({launch(scribble, buffers, dims, count)});
  EXPECT_EQ(std::accumulate(good.begin(), good.end(), 0), count);
}

TEST_P(TeamTest, copiesAndFillsInPieces) {
  constexpr size_t size = (1 << 20) + 13;
  std::vector<uint8_t> from(size), to(size + 1, 7);
  for (size_t i = 0; i < size; ++i)
    from[i] = uint8_t(i * 31);
  void *pointers[] = {from.data(), to.data()};
  Step copy;
  copy.kind = Step::Copy;
  copy.buffers = pointers;
  copy.bytes = size;
  Step fill;
  fill.kind = Step::Fill;
  fill.buffers = pointers;
  fill.bytes = size - 5;
  std::vector<uint8_t> kept = from;
  run({copy, fill});
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), to.begin()));
  EXPECT_EQ(to[size], 7);
  EXPECT_EQ(from[size - 6], 0);
  EXPECT_EQ(from[size - 5], kept[size - 5]);
}

TEST_P(TeamTest, tracesEveryStepInOrder) {
  std::vector<int32_t> seen(8, 0);
  void *buffers[] = {seen.data()};
  std::vector<int64_t> groups;
  Trace trace;
  trace.user = &groups;
  trace.fn = [](void *user, const char *, int64_t start, int64_t end,
                int64_t workgroups) {
    EXPECT_LE(start, end);
    static_cast<std::vector<int64_t> *>(user)->push_back(workgroups);
  };
  std::vector<Step> steps = {launch(touch, buffers, nullptr, 8),
                             launch(touch, buffers, nullptr, 1),
                             launch(touch, buffers, nullptr, 3)};
  run(steps, trace);
  EXPECT_EQ(groups, (std::vector<int64_t>{8, 1, 3}));
  EXPECT_EQ(seen[0], 3);
}

/// buffers[0][group] = 1 / 3 in the thread's rounding mode.
void third(int64_t group, void *const *buffers, const int64_t *, void *) {
  volatile float one = 1, three = 3;
  static_cast<float *>(buffers[0])[group] = one / three;
}

TEST_P(TeamTest, ignoresTheCallersRoundingMode) {
  float usual[4], upward[4];
  void *first[] = {usual}, *second[] = {upward};
  run({launch(third, first, nullptr, 4)});
  std::fesetround(FE_UPWARD);
  run({launch(third, second, nullptr, 4)});
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(usual[i], upward[i]);
}

INSTANTIATE_TEST_SUITE_P(Threads, TeamTest, testing::Values(1, 2, 5));

TEST(Memory, refusesWhatTheMachineDoesNotHave) {
  Memory memory;
  Status status = memory.reserve(uint64_t(1) << 60, "the workspace");
  EXPECT_EQ(status.code(), Code::Resources);
  EXPECT_EQ(status.text(), "the workspace: cannot allocate 1.0 EiB");
}

TEST(Memory, growsAndNeverShrinks) {
  Memory memory;
  ASSERT_TRUE(memory.reserve(100, "m").ok());
  EXPECT_EQ(uintptr_t(memory.data()) % 64, 0u);
  ASSERT_TRUE(memory.reserve(10 << 20, "m").ok());
  uint8_t *large = memory.data();
  ASSERT_TRUE(memory.reserve(50, "m").ok());
  EXPECT_EQ(memory.data(), large);
  EXPECT_GE(memory.size(), size_t(10) << 20);
}

} // namespace
