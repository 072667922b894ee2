// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short convolution.

#include "Scalar.h"
#include "Sequences.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

namespace {

/// Inputs of one channel of one sequence, the carried ones at the negative
/// places.
struct Channel {
  const Tensor &x;
  const Sequence &sequence;
  std::vector<double> carried; // oldest first
  int64_t channel;

  double operator[](int64_t token) const {
    if (token >= 0)
      return x.row(sequence.begin + token)[channel];
    int64_t place = int64_t(carried.size()) + token;
    return place >= 0 ? carried[place] : 0;
  }
};

} // namespace

LogicalResult k3::reference::evaluate(ShortConvOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()], &weight = frame[op.getWeight()];
  const Tensor *bias = frame.find(op.getBias());
  Tensor state = frame[op.getState()];
  int64_t channels = x.shape[1], width = weight.shape[1];
  int64_t kept = state.shape[2];
  auto sequences = readSequences(op, frame, x.rows(), state.rows());
  if (failed(sequences))
    return failure();
  Tensor y = Tensor::ofReals(x.shape);
  for (const Sequence &sequence : *sequences) {
    if (sequence.isPadded())
      continue;
    for (int64_t d = 0; d < channels; ++d) {
      double *slot = state.row(sequence.slot) + d * kept;
      std::vector<double> carried(kept);
      if (!sequence.isFresh())
        carried.assign(slot, slot + kept);
      Channel input{x, sequence, carried, d};
      for (int64_t t = 0; t < sequence.tokens(); ++t) {
        double sum = bias ? bias->reals[d] : 0;
        for (int64_t j = 0; j < width; ++j)
          sum += weight.row(d)[j] * input[t - width + 1 + j];
        y.row(sequence.begin + t)[d] = activate(op.getActivation(), sum);
      }
      for (int64_t j = 0; j < kept; ++j)
        slot[j] = input[sequence.tokens() - kept + j];
    }
  }
  frame.set(op.getY(), std::move(y));
  frame.set(op.getNewState(), std::move(state));
  return success();
}
