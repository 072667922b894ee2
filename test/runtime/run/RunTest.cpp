// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs through the C ABI: numbers, sequences, determinism.

#include "test/runtime/run/TestArtefact.h"

#include <cmath>
#include <random>

using namespace k3::test;

namespace {

class RunTest : public testing::Test {
protected:
  void SetUp() override {
    writeLanguageModel(folder / "lm.fatbin");
    writeWeights(folder.path);
    writeOperations(folder / "ops.fatbin");
  }
  Runtime open(int32_t threads = 2, int64_t slots = 4, int64_t capacity = 64) {
    return Runtime(
        folder / "lm.fatbin", folder.path,
        {sizeof(k3rt_session_options), threads, slots, capacity, 0, nullptr});
  }
  TempFolder folder;
};

std::vector<int32_t> prompt(int64_t count, int seed = 1) {
  std::mt19937 random(seed);
  std::vector<int32_t> tokens(count);
  for (int32_t &token : tokens)
    token = int32_t(random() % vocabulary);
  return tokens;
}

/// The running sum that the test kernels keep.
std::vector<float> expectedSums(const std::vector<int32_t> &tokens) {
  std::vector<float> sums;
  float sum[width] = {};
  for (int32_t token : tokens)
    for (int64_t i = 0; i < width; ++i)
      sums.push_back(sum[i] =
                         sum[i] * 0.75f + (float(token) + 0.5f * float(i)));
  return sums;
}

TEST_F(RunTest, scoresEveryToken) {
  Runtime runtime = open();
  std::vector<int32_t> tokens = prompt(37);
  int32_t slot = runtime.newSlot();
  EXPECT_EQ(runtime.logits("score", tokens, {0, 37}, {slot}),
            expectedSums(tokens));
  EXPECT_EQ(runtime.length(slot), 37);
}

TEST_F(RunTest, continuesFromTheSlotAtEverySplit) {
  std::vector<int32_t> tokens = prompt(20);
  std::vector<float> whole;
  {
    Runtime runtime = open();
    whole = runtime.logits("prefill", tokens, {0, 20}, {runtime.newSlot()});
  }
  Runtime runtime = open(2, 32);
  for (int32_t split = 0; split <= 20; ++split) {
    int32_t slot = runtime.newSlot();
    std::vector<int32_t> head(tokens.begin(), tokens.begin() + split);
    std::vector<int32_t> tail(tokens.begin() + split, tokens.end());
    runtime.logits("score", head, {0, split}, {slot});
    std::vector<float> rest =
        runtime.logits("prefill", tail, {0, 20 - split}, {slot});
    if (split < 20) {
      EXPECT_EQ(rest, whole) << "split at " << split;
    }
    EXPECT_EQ(runtime.length(slot), 20);
  }
}

TEST_F(RunTest, packedSequencesEqualEachAlone) {
  std::vector<int32_t> a = prompt(5, 1), b = prompt(9, 2), c = prompt(1, 3);
  std::vector<int32_t> packed = a;
  packed.insert(packed.end(), b.begin(), b.end());
  packed.insert(packed.end(), c.begin(), c.end());
  Runtime together = open(), alone = open();
  for (int i = 0; i < 3; ++i) {
    together.newSlot();
    alone.newSlot();
  }
  std::vector<float> rows =
      together.logits("prefill", packed, {0, 5, 14, 14, 15}, {2, 0, -1, 1});
  std::vector<float> expected = alone.logits("prefill", a, {0, 5}, {0});
  std::vector<float> rowB = alone.logits("prefill", b, {0, 9}, {1});
  std::vector<float> rowC = alone.logits("prefill", c, {0, 1}, {2});
  expected.insert(expected.end(), rowB.begin(), rowB.end());
  expected.insert(expected.end(), width, 0); // the empty, padded sequence
  expected.insert(expected.end(), rowC.begin(), rowC.end());
  EXPECT_EQ(rows, expected);
}

TEST_F(RunTest, doesNotDependOnThreadsOrRuns) {
  std::vector<int32_t> tokens = prompt(60);
  std::vector<float> first;
  for (int32_t threads : {1, 2, 3, 1, 2})
    for (int repeat = 0; repeat < 2; ++repeat) {
      Runtime runtime = open(threads);
      std::vector<float> logits =
          runtime.logits("score", tokens, {0, 60}, {runtime.newSlot()});
      if (first.empty())
        first = logits;
      EXPECT_EQ(logits, first);
    }
}

// Case C12.
TEST_F(RunTest, paddedRowsAreZeroAndKeepNothing) {
  Runtime runtime = open();
  for (int i = 0; i < 4; ++i)
    runtime.newSlot();
  std::vector<float> padded =
      runtime.logits("score", {3, 4, 5, 6}, {0, 1, 2, 3, 4}, {3, -1, 1, -1});
  for (int64_t i = 0; i < width; ++i) {
    EXPECT_EQ(padded[1 * width + i], 0);
    EXPECT_EQ(padded[3 * width + i], 0);
    EXPECT_EQ(padded[0 * width + i], 3 + 0.5f * float(i));
  }
  EXPECT_EQ(runtime.length(0), 0);
  EXPECT_EQ(runtime.length(1), 1);
  EXPECT_EQ(runtime.length(2), 0);
  EXPECT_EQ(runtime.length(3), 1);
}

// Case D6.
TEST_F(RunTest, withoutTokensNothingHappens) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  std::vector<float> before = runtime.logits("score", {1, 2}, {0, 2}, {slot});
  EXPECT_EQ(runtime.logits("prefill", {}, {0, 0}, {slot}),
            std::vector<float>(width, 0));
  EXPECT_EQ(runtime.logits("prefill", {}, {0}, {}), std::vector<float>());
  EXPECT_EQ(runtime.length(slot), 2);
  std::vector<float> after = runtime.logits("score", {3}, {0, 1}, {slot});
  EXPECT_EQ(after[0], before[width] * 0.75f + 3);
}

// Case C13: a slot that was used before holds old bytes.
TEST_F(RunTest, freshSlotsDoNotReadOldBytes) {
  Runtime runtime = open(2, 1);
  int32_t slot = runtime.newSlot();
  std::vector<float> first = runtime.logits("prefill", {7, 9}, {0, 2}, {slot});
  check(k3rt_slot_reset(runtime.session, slot));
  EXPECT_EQ(runtime.length(slot), 0);
  EXPECT_EQ(runtime.logits("prefill", {7, 9}, {0, 2}, {slot}), first);
  check(k3rt_slot_release(runtime.session, slot));
  EXPECT_EQ(runtime.newSlot(), slot);
  EXPECT_EQ(runtime.logits("prefill", {7, 9}, {0, 2}, {slot}), first);
}

TEST_F(RunTest, forkedSlotsGoTheirOwnWays) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot(), copy;
  runtime.logits("prefill", {1, 2, 3}, {0, 3}, {slot});
  check(k3rt_slot_fork(runtime.session, slot, &copy));
  EXPECT_EQ(runtime.length(copy), 3);
  std::vector<float> a = runtime.logits("prefill", {4}, {0, 1}, {slot});
  std::vector<float> b = runtime.logits("prefill", {4}, {0, 1}, {copy});
  EXPECT_EQ(a, b);
  runtime.logits("prefill", {5}, {0, 1}, {slot});
  EXPECT_EQ(runtime.length(slot), 5);
  EXPECT_EQ(runtime.length(copy), 4);
}

TEST_F(RunTest, refusesMoreTokensThanTheCapacity) {
  Runtime runtime = open(1, 1, 8);
  int32_t slot = runtime.newSlot();
  runtime.logits("prefill", prompt(6), {0, 6}, {slot});
  std::vector<float> logits;
  EXPECT_EQ(runtime.run("prefill", prompt(3), {0, 3}, {slot}, logits),
            K3_RESOURCES);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0417]: prefill: sequence 0: 6 + 3 tokens exceed the "
               "slot's capacity of 8\nhelp: create the session with a larger "
               "capacity");
  EXPECT_EQ(runtime.length(slot), 6);
  runtime.logits("prefill", prompt(2), {0, 2}, {slot});
}

TEST_F(RunTest, runsOnTheCallersMemory) {
  Runtime runtime(folder / "ops.fatbin", "");
  std::vector<float> x, y, sum(33 * width, NAN);
  for (int i = 0; i < 33 * width; ++i) {
    x.push_back(float(i));
    y.push_back(float(i) * 0.5f);
  }
  k3_tensor inputs[] = {floats("y", y, {33, width}),
                        floats("x", x, {33, width})};
  k3_tensor output = floats("sum", sum, {33, width});
  check(k3rt_run(runtime.session, "add", inputs, 2, &output, 1));
  for (int i = 0; i < 33 * width; ++i)
    ASSERT_EQ(sum[i], x[i] + y[i]);
}

TEST_F(RunTest, updatesAStateInACopyOrInPlace) {
  Runtime runtime(folder / "ops.fatbin", "");
  std::vector<float> x = {1, 1, 1, 1, 2, 2, 2, 2}, out(8, NAN);
  std::vector<float> state(3 * width, 8), fresh(3 * width, NAN);
  std::vector<int32_t> cu = {0, 1, 2}, slots = {2, 0}, context = {4, 0};
  k3_tensor inputs[] = {floats("x", x, {2, width}), ints("cu_seqlens", cu),
                        ints("slots", slots), ints("context_lens", context),
                        floats("state", state, {3, width})};
  k3_tensor outputs[] = {floats("out", out, {2, width}),
                         floats("new_state", fresh, {3, width})};
  check(k3rt_run(runtime.session, "scan", inputs, 5, outputs, 2));
  EXPECT_EQ(out, (std::vector<float>{7, 7, 7, 7, 2, 2, 2, 2}));
  EXPECT_EQ(fresh, (std::vector<float>{2, 2, 2, 2, 8, 8, 8, 8, 7, 7, 7, 7}));
  EXPECT_EQ(state, std::vector<float>(3 * width, 8));
  outputs[1] = floats("new_state", state, {3, width});
  check(k3rt_run(runtime.session, "scan", inputs, 5, outputs, 2));
  EXPECT_EQ(state, fresh);
}

TEST_F(RunTest, runsChainsOfSingleWorkgroups) {
  for (int32_t threads : {1, 2}) {
    Runtime runtime(folder / "ops.fatbin", "",
                    {sizeof(k3rt_session_options), threads, 1, 1, 0, nullptr});
    std::vector<float> total(1, NAN);
    k3_tensor output = floats("total", total, {1});
    check(k3rt_run(runtime.session, "count", nullptr, 0, &output, 1));
    EXPECT_EQ(total[0], 10);
  }
}

TEST_F(RunTest, tracesEveryCommand) {
  Runtime runtime = open();
  std::vector<std::string> labels;
  auto note = [](void *user, const char *label, int64_t start, int64_t end,
                 int64_t) {
    EXPECT_LE(start, end);
    static_cast<std::vector<std::string> *>(user)->push_back(label);
  };
  check(k3rt_session_trace(runtime.session, note, &labels));
  int32_t slot = runtime.newSlot();
  std::vector<float> traced = runtime.logits("prefill", {1, 2}, {0, 2}, {slot});
  EXPECT_EQ(labels, (std::vector<std::string>{"embed", "running_sum",
                                              "append_rows", "read_out"}));
  check(k3rt_session_trace(runtime.session, nullptr, nullptr));
  check(k3rt_slot_reset(runtime.session, slot));
  EXPECT_EQ(runtime.logits("prefill", {1, 2}, {0, 2}, {slot}), traced);
  EXPECT_EQ(labels.size(), 4u);
}

TEST_F(RunTest, readsStatesOut) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  k3_tensor state = {};
  std::vector<float> values(2 * width, NAN);
  state.data = values.data();
  state.bytes = values.size() * sizeof(float);
  check(k3rt_slot_read(runtime.session, slot, "sum", &state));
  EXPECT_EQ(values[0], 0);
  runtime.logits("prefill", {2, 6}, {0, 2}, {slot});
  check(k3rt_slot_read(runtime.session, slot, "rows", &state));
  EXPECT_EQ(state.rank, 2);
  EXPECT_EQ(state.shape[0], 2);
  EXPECT_EQ(state.shape[1], width);
  EXPECT_EQ(values, (std::vector<float>{2, 2.5, 3, 3.5, 6, 6.5, 7, 7.5}));
  state.bytes = 4;
  EXPECT_EQ(k3rt_slot_read(runtime.session, slot, "rows", &state),
            K3_BAD_INPUT);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0410]: state 'rows': buffer is too short (wanted 32 "
               "bytes, got 4)");
  EXPECT_EQ(k3rt_slot_read(runtime.session, slot, "nope", &state),
            K3_BAD_USAGE);
  EXPECT_STREQ(k3rt_last_error(), "error[K3-E0426]: there is no state 'nope' "
                                  "(wanted 'sum', 'rows')");
}

} // namespace
