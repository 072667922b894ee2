// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates are cut by rank, then by probability, then drawn by inverting
// the cumulative distribution.

#include "runtime/text/Sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace k3;
using namespace k3::text;

static Status refuse(const char *what) {
  return Status::error(Code::BadUsage, 709, what);
}

Status Sampler::create(const SamplerOptions &options, Sampler &out) {
  if (!(options.temperature >= 0 && options.temperature <= 1e6))
    return refuse("temperature is out of range (wanted 0 to 1e6)");
  if (!(options.topP > 0 && options.topP <= 1))
    return refuse("top_p is out of range (wanted above 0, to 1)");
  if (options.topK < 0)
    return refuse("top_k is negative");
  out.options = options;
  out.random.seed(options.seed);
  return {};
}

Status Sampler::choose(std::span<const float> logits, int32_t &token) {
  size_t best = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]) || logits[i] == INFINITY)
      return Status::error(Code::DeviceFault, 710,
                           "the logit of token " + std::to_string(i) + " is " +
                               (std::isnan(logits[i]) ? "NaN" : "infinite"));
    if (logits[i] > logits[best])
      best = i;
  }
  if (logits.empty() || std::isinf(logits[best]))
    return Status::error(Code::DeviceFault, 710, "no token has a logit");
  token = options.temperature == 0 ? int32_t(best) : draw(logits, logits[best]);
  return {};
}

int32_t Sampler::draw(std::span<const float> logits, float best) {
  order.resize(logits.size());
  std::iota(order.begin(), order.end(), 0);
  auto isBetter = [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  size_t count = order.size();
  if (options.topK > 0)
    count = std::min(count, size_t(options.topK));
  if (count < order.size())
    std::nth_element(order.begin(), order.begin() + count, order.end(),
                     isBetter);
  order.resize(count);
  std::sort(order.begin(), order.end(), isBetter);

  // Cumulative, relative to the best token's.
  weights.resize(count);
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    weights[i] = sum += std::exp((double(logits[order[i]]) - double(best)) /
                                 options.temperature);
  if (options.topP < 1) {
    auto last =
        std::lower_bound(weights.begin(), weights.end(), options.topP * sum);
    count = std::min(count, size_t(last - weights.begin()) + 1);
    sum = weights[count - 1];
  }
  double point = double(random() >> 11) * 0x1p-53 * sum;
  auto at = std::upper_bound(weights.begin(), weights.begin() + count, point);
  size_t chosen = std::min(size_t(at - weights.begin()), count - 1);
  return order[chosen];
}
