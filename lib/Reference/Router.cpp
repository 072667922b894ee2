// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of experts.

#include "Frame.h"
#include "Scalar.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace k3;
using namespace k3::reference;

/// Indices by falling value: numbers before NaN, equal ones by index.
static std::vector<int32_t> ranked(ArrayRef<double> values) {
  std::vector<int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    bool isWorseA = std::isnan(values[a]), isWorseB = std::isnan(values[b]);
    if (isWorseA != isWorseB)
      return isWorseB;
    if (!isWorseA && values[a] != values[b])
      return values[a] > values[b];
    return a < b;
  });
  return order;
}

static std::vector<double> scoresOf(RouterOp op, ArrayRef<double> logits) {
  std::vector<double> scores(logits.begin(), logits.end());
  if (op.getActivation() == "sigmoid") {
    for (double &score : scores)
      score = sigmoid(score);
    return scores;
  }
  double best = *llvm::max_element(scores), total = 0;
  for (double &score : scores)
    total += score = std::exp(score - best);
  for (double &score : scores)
    score /= total;
  return scores;
}

/// Experts that may be chosen: those of the best groups.
static std::vector<bool> allowed(RouterOp op, ArrayRef<double> biased) {
  int64_t groups = op.getNumExpertGroup(), size = biased.size() / groups;
  std::vector<bool> open(biased.size(), groups == 1);
  if (groups == 1)
    return open;
  std::vector<double> groupScores(groups);
  for (int64_t group = 0; group < groups; ++group) {
    ArrayRef<double> members = biased.slice(group * size, size);
    std::vector<int32_t> order = ranked(members);
    groupScores[group] = members[order[0]] + members[order[1]];
  }
  std::vector<int32_t> order = ranked(groupScores);
  for (int64_t i = 0; i < int64_t(op.getTopkGroup()); ++i)
    std::fill_n(open.begin() + order[i] * size, size, true);
  return open;
}

LogicalResult k3::reference::evaluate(RouterOp op, Frame &frame) {
  const Tensor &logits = frame[op.getLogits()], &bias = frame[op.getBias()];
  int64_t experts = logits.shape[1], topK = op.getTopK();
  double factor = op.getRoutedScalingFactor().convertToDouble();
  Tensor ids = Tensor::ofIntegers({logits.rows(), topK});
  Tensor weights = Tensor::ofReals({logits.rows(), topK});
  for (int64_t t = 0; t < logits.rows(); ++t) {
    std::vector<double> scores = scoresOf(op, {logits.row(t), size_t(experts)});
    std::vector<double> biased(experts);
    for (int64_t e = 0; e < experts; ++e)
      biased[e] = scores[e] + bias.reals[e];
    std::vector<bool> open = allowed(op, biased);
    int64_t chosen = 0;
    double total = 0;
    for (int32_t expert : ranked(biased)) {
      if (!open[expert] || chosen == topK)
        continue;
      ids.integers[t * topK + chosen] = expert;
      total += weights.row(t)[chosen++] = scores[expert];
    }
    for (int64_t j = 0; j < topK; ++j)
      weights.row(t)[j] *=
          op.getRenormalize() ? factor / (total + 1e-20) : factor;
  }
  frame.set(op.getIds(), std::move(ids));
  frame.set(op.getWeights(), std::move(weights));
  return success();
}
