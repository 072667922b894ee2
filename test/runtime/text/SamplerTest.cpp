// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which token is chosen, and how often.

#include "runtime/text/Sampler.h"
#include "test/runtime/TempFolder.h"

#include <cmath>

using namespace k3;
using namespace k3::text;
using namespace k3::test;

namespace {

Sampler make(const SamplerOptions &options) {
  Sampler sampler;
  Status status = Sampler::create(options, sampler);
  EXPECT_TRUE(status.ok()) << status.render();
  return sampler;
}

int32_t choose(Sampler &sampler, const std::vector<float> &logits) {
  int32_t token = -1;
  Status status = sampler.choose(logits, token);
  EXPECT_TRUE(status.ok()) << status.render();
  return token;
}

std::vector<int> histogram(const SamplerOptions &options,
                           const std::vector<float> &logits, int draws) {
  Sampler sampler = make(options);
  std::vector<int> counts(logits.size());
  for (int i = 0; i < draws; ++i)
    ++counts[choose(sampler, logits)];
  return counts;
}

} // namespace

TEST(Sampler, TemperatureZeroTakesTheBestAndTheLowerIdOfEquals) {
  Sampler sampler = make({});
  EXPECT_EQ(choose(sampler, {1, 3, 3, 2}), 1);
  EXPECT_EQ(choose(sampler, {-INFINITY, -5, -INFINITY}), 1);
}

TEST(Sampler, FollowsTheDistribution) {
  std::vector<int> counts =
      histogram({.temperature = 1},
                {std::log(0.5f), std::log(0.3f), std::log(0.2f)}, 20'000);
  EXPECT_NEAR(counts[0], 10'000, 400);
  EXPECT_NEAR(counts[1], 6'000, 400);
  EXPECT_NEAR(counts[2], 4'000, 400);
}

TEST(Sampler, LowTemperatureSharpens) {
  std::vector<int> counts =
      histogram({.temperature = 0.01}, {1, 2, 1.5}, 1'000);
  EXPECT_EQ(counts[1], 1'000);
}

TEST(Sampler, TopKKeepsTheLowerIdsOfEquals) {
  std::vector<int> counts =
      histogram({.temperature = 1, .topK = 2}, {0, 1, 1, 1, 0}, 1'000);
  EXPECT_GT(counts[1], 400);
  EXPECT_GT(counts[2], 400);
  EXPECT_EQ(counts[1] + counts[2], 1'000);
  counts = histogram({.temperature = 1, .topK = 100}, {0, 0}, 1'000);
  EXPECT_GT(counts[1], 400);
}

TEST(Sampler, TopPKeepsTheFewestThatReachIt) {
  std::vector<float> logits = {std::log(0.2f), std::log(0.5f), std::log(0.3f)};
  std::vector<int> counts =
      histogram({.temperature = 1, .topP = 0.6}, logits, 1'000);
  EXPECT_EQ(counts[0], 0);
  EXPECT_GT(counts[1], 550);
  EXPECT_GT(counts[2], 300);
  counts = histogram({.temperature = 1, .topP = 1e-9}, logits, 100);
  EXPECT_EQ(counts[1], 100);
}

TEST(Sampler, OneSeedGivesOneSequence) {
  std::vector<float> logits(1'000);
  for (size_t i = 0; i < logits.size(); ++i)
    logits[i] = std::sin(float(i));
  SamplerOptions options{.temperature = 0.8, .topP = 0.95, .seed = 7};
  Sampler one = make(options), two = make(options);
  options.seed = 8;
  Sampler other = make(options);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    int32_t token = choose(one, logits);
    EXPECT_EQ(choose(two, logits), token);
    differs |= choose(other, logits) != token;
  }
  EXPECT_TRUE(differs);
}

TEST(Sampler, RefusesLogitsThatAreNoNumbers) {
  Sampler sampler = make({});
  int32_t token;
  expectError(sampler.choose(std::vector<float>{0, NAN}, token), 710,
              "the logit of token 1 is NaN");
  expectError(sampler.choose(std::vector<float>{0, INFINITY}, token), 710,
              "the logit of token 1 is infinite");
  expectError(sampler.choose(std::vector<float>{-INFINITY}, token), 710,
              "no token has a logit");
  expectError(sampler.choose({}, token), 710, "no token has a logit");
}

TEST(Sampler, RefusesOptionsOutOfRange) {
  Sampler sampler;
  expectError(Sampler::create({.temperature = -1}, sampler), 709,
              "temperature");
  expectError(Sampler::create({.temperature = NAN}, sampler), 709,
              "temperature");
  expectError(Sampler::create({.topP = 0}, sampler), 709, "top_p");
  expectError(Sampler::create({.topP = 1.5}, sampler), 709, "top_p");
  expectError(Sampler::create({.topK = -1}, sampler), 709, "top_k");
}
