// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// config.json from any bytes: refused with a text, or read into a plan of
// weights whose shapes are positive.

#include "k3/Import/WeightPlan.h"

#include <cstdlib>

using namespace k3;

/// Planning costs time with the number of layers and experts, so only small
/// models are planned.
static void planSmall(const ModelConfig &config) {
  if (config.layers > 8 || config.moe.experts > 8)
    return;
  TensorTable none;
  std::vector<PlannedWeight> plan;
  if (!planWeights(config, none, plan).ok())
    return;
  for (const PlannedWeight &weight : plan)
    for (int64_t size : weight.shape)
      if (size < 1)
        std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ModelConfig config;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  Status status = readModelConfig(text, "config.json", config);
  if (status.ok())
    planSmall(config);
  else if (status.text().empty())
    std::abort();
  return 0;
}
