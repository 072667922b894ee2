// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which token comes next.

#ifndef K3_RUNTIME_TEXT_SAMPLER_H
#define K3_RUNTIME_TEXT_SAMPLER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <random>
#include <span>

namespace k3::text {

struct SamplerOptions {
  double temperature = 0; ///< 0: always the best token
  double topP = 1;        ///< of the probability; 1: no limit
  int64_t topK = 0;       ///< tokens; 0: no limit
  uint64_t seed = 0;
};

/// The same options and logits give the same tokens.
class Sampler {
public:
  static Status create(const SamplerOptions &options, Sampler &out);

  /// Chooses from one row of logits. Equal logits are ordered by id, the lower
  /// first.
  Status choose(std::span<const float> logits, int32_t &token);

private:
  int32_t draw(std::span<const float> logits, float best);

  SamplerOptions options;
  std::mt19937_64 random;
  std::vector<int32_t> order;
  std::vector<double> weights;
};

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_SAMPLER_H
