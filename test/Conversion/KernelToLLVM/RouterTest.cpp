// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.router against a sort, with ties, NaN, groups and both activations.

#include "KernelHarness.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace k3::test;

namespace {

struct Shape {
  int64_t experts, topK, groups, topGroups;
  bool softmax, renormalize;
};

constexpr int64_t rows = 6;

std::string text(const Shape &s) {
  std::string e = std::to_string(s.experts), k = std::to_string(s.topK);
  std::string in = "tensor<?x" + e + "xf32>", bias = "tensor<" + e + "xf32>";
  std::string ids = "tensor<?x" + k + "xi32>", w = "tensor<?x" + k + "xf32>";
  return "k3.kernel_func @k attributes {update_pairs = array<i64>} {\n"
         "^bb0(%l: " +
         in + ", %b: " + bias +
         "):\n"
         "  %i, %w = k3.router %l, %b {activation = \"" +
         (s.softmax ? "softmax" : "sigmoid") +
         "\", num_expert_group = " + std::to_string(s.groups) +
         ", renormalize = " + (s.renormalize ? "true" : "false") +
         ", routed_scaling_factor = 2.5 : f64, top_k = " + k +
         ", topk_group = " + std::to_string(s.topGroups) + "} : (" + in + ", " +
         bias + ") -> (" + ids + ", " + w + ")\n  k3.yield %i, %w : " + ids +
         ", " + w + "\n}\n";
}

/// Indices by falling score; NaN last, equal scores by index.
std::vector<int> ranked(const std::vector<double> &scores) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  auto better = [&](int a, int b) {
    return std::isnan(scores[b]) ? !std::isnan(scores[a])
                                 : scores[a] > scores[b];
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return better(a, b) || (!better(b, a) && a < b);
  });
  return order;
}

std::vector<double> scoresOf(const Shape &s, const float *logits) {
  std::vector<double> scores(s.experts);
  double total = 0;
  for (int64_t e = 0; e < s.experts; ++e) {
    scores[e] = s.softmax ? std::exp(double(logits[e]))
                          : 1 / (1 + std::exp(-double(logits[e])));
    total += scores[e];
  }
  for (double &score : scores)
    score /= s.softmax ? total : 1;
  return scores;
}

std::vector<int> chosen(const Shape &s, std::vector<double> biased) {
  int64_t size = s.experts / s.groups;
  std::vector<double> groups(s.groups);
  for (int64_t g = 0; g < s.groups && s.groups > 1; ++g) {
    std::vector<double> own(biased.begin() + g * size,
                            biased.begin() + (g + 1) * size);
    std::vector<int> order = ranked(own);
    groups[g] = own[order[0]] + own[order[1]];
  }
  std::vector<int> kept = ranked(groups);
  kept.resize(s.groups > 1 ? s.topGroups : 1);
  std::vector<int> result;
  for (int expert : ranked(biased))
    if (std::count(kept.begin(), kept.end(), expert / size) &&
        int64_t(result.size()) < s.topK)
      result.push_back(expert);
  return result;
}

void check(const Shape &s, const std::string &level) {
  SCOPED_TRACE(text(s) + level);
  RunnableKernel kernel = compileKernel(text(s), level);
  ASSERT_TRUE(kernel.function);
  // Multiples of 1/4, so that there are ties, and no bias in every third row.
  std::vector<float> logits = randomFloats(rows * s.experts, 3, 4);
  for (float &logit : logits)
    logit = std::round(logit * 4) / 4;
  Buffer in(Element::F32, {rows, s.experts}, logits);
  Buffer bias(Element::F32, {s.experts}, randomFloats(s.experts, 4, 0.5));
  for (int64_t e = 0; e < s.experts; e += 2)
    bias.set(e, 0);
  Buffer ids(Element::I32, {rows, s.topK}),
      weights(Element::F32, {rows, s.topK});
  kernel.run({&in, &bias, &ids, &weights});
  for (int64_t t = 0; t < rows; ++t) {
    std::vector<double> scores = scoresOf(s, logits.data() + t * s.experts);
    std::vector<double> biased = scores;
    for (int64_t e = 0; e < s.experts; ++e)
      biased[e] += bias.get(e);
    std::vector<int> wanted = chosen(s, biased);
    double total = 1e-20;
    for (int expert : wanted)
      total += scores[expert];
    for (int64_t j = 0; j < s.topK; ++j) {
      ASSERT_EQ(ids.integer(t * s.topK + j), wanted[j]) << t << " " << j;
      double weight = scores[wanted[j]] / (s.renormalize ? total : 1) * 2.5;
      ASSERT_NEAR(weights.get(t * s.topK + j), weight, weight * 3e-6);
    }
  }
}

TEST(Router, AgreesWithASort) {
  const Shape shapes[] = {
      {16, 4, 1, 1, false, true},   {16, 1, 1, 1, true, false},
      {10, 10, 1, 1, false, true},  {1, 1, 1, 1, false, true},
      {64, 6, 8, 3, false, true},   {36, 4, 4, 2, true, true},
      {896, 16, 1, 1, false, true},
  };
  for (const Shape &shape : shapes)
    for (std::string level : {"x86-64-v3", "x86-64-v4"})
      if (canRun(level))
        check(shape, level);
}

TEST(Router, PrefersAnyNumberToNan) {
  Shape s{5, 3, 1, 1, false, false};
  for (std::string level : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(level))
      continue;
    RunnableKernel kernel = compileKernel(text(s), level);
    ASSERT_TRUE(kernel.function);
    float nan = std::nanf(""), low = -std::numeric_limits<float>::infinity();
    Buffer in(Element::F32, {1, 5}, {nan, -2, nan, -1, 0});
    Buffer bias(Element::F32, {5}, {0, low, 0, 0, low});
    Buffer ids(Element::I32, {1, 3}), weights(Element::F32, {1, 3});
    kernel.run({&in, &bias, &ids, &weights});
    EXPECT_EQ(ids.integer(0), 3);
    EXPECT_EQ(ids.integer(1), 1);
    EXPECT_EQ(ids.integer(2), 4);
    // All but two are NaN: ids stay different.
    Buffer most(Element::F32, {1, 5}, {nan, nan, nan, nan, 1});
    Buffer none(Element::F32, {5});
    kernel.run({&most, &none, &ids, &weights});
    EXPECT_EQ(ids.integer(0), 4);
    EXPECT_EQ(ids.integer(1), 0);
    EXPECT_EQ(ids.integer(2), 1);
  }
}

} // namespace
