// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state from chunk to chunk.

#include "Chunks.h"
#include "Scalar.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

namespace {

/// One chunk_step op.
class Step {
public:
  Step(ChunkStepOp op, Frame &frame)
      : q{frame.find(op.getQ())}, k{frame.find(op.getK())},
        b{frame.find(op.getB())}, v{frame.find(op.getV())},
        w{frame.find(op.getW())}, u{frame.find(op.getU())},
        sums{frame.find(op.getDecay())},
        beta(op.getWrite() == Write::BetaValue ? frame.find(op.getBeta())
                                               : nullptr) {
    auto readType = cast<RankedTensorType>(op.getRead().getType());
    heads = readType.getDimSize(1);
    valueWidth = readType.getDimSize(2);
    keyWidth = q.tensor->shape[2];
    for (HeadRows *each : {&q, &k, &b, &v, &w, &u})
      each->valueHeads = heads;
    read = Tensor::ofReals({q.tensor->rows(), heads, valueWidth});
    if (u)
      pseudo = read;
    if (op.getWeight())
      weight = Tensor::ofReals({q.tensor->rows(), heads});
  }

  /// `state` is [K, V], `normalizer` [K] or null.
  void run(Chunk chunk, int64_t head, std::vector<double> &state,
           double *normalizer);

  Tensor read, pseudo, weight;
  int64_t heads, keyWidth, valueWidth;

private:
  void readRow(int64_t t, int64_t head, const std::vector<double> &state,
               const double *normalizer);
  double strength(int64_t t, int64_t head) const {
    return beta ? beta->row(t)[head] : 1;
  }

  HeadRows q, k, b, v, w, u;
  LogDecays sums;
  const Tensor *beta;
};

} // namespace

void Step::readRow(int64_t t, int64_t head, const std::vector<double> &state,
                   const double *normalizer) {
  double *out = read.row(t) + head * valueWidth;
  double *erased = u ? pseudo.row(t) + head * valueWidth : nullptr;
  if (u)
    std::copy_n(u.at(t, head), valueWidth, erased);
  for (int64_t i = 0; i < keyWidth; ++i) {
    double query = q.at(t, head)[i] * std::exp(sums.at(t, head, i));
    const double *row = state.data() + i * valueWidth;
    for (int64_t j = 0; j < valueWidth; ++j) {
      out[j] += query * row[j];
      if (u)
        erased[j] -= w.at(t, head)[i] * row[j];
    }
    if (normalizer)
      weight.row(t)[head] += query * normalizer[i];
  }
}

void Step::run(Chunk chunk, int64_t head, std::vector<double> &state,
               double *normalizer) {
  for (int64_t t = chunk.begin; t < chunk.end; ++t)
    readRow(t, head, state, normalizer);
  const HeadRows &eraseKey = b ? b : k;
  for (int64_t i = 0; i < keyWidth; ++i) {
    double last = sums.at(chunk.end - 1, head, i);
    double *row = state.data() + i * valueWidth;
    for (int64_t j = 0; j < valueWidth; ++j)
      row[j] *= std::exp(last);
    if (normalizer)
      normalizer[i] *= std::exp(last);
    for (int64_t t = chunk.begin; t < chunk.end; ++t) {
      double decay = std::exp(last - sums.at(t, head, i));
      double write = decay * k.at(t, head)[i] * strength(t, head);
      if (u)
        for (int64_t j = 0; j < valueWidth; ++j)
          row[j] += decay * eraseKey.at(t, head)[i] *
                    pseudo.row(t)[head * valueWidth + j];
      if (v)
        for (int64_t j = 0; j < valueWidth; ++j)
          row[j] += write * v.at(t, head)[j];
      if (normalizer)
        normalizer[i] += write;
    }
  }
}

LogicalResult k3::reference::evaluate(ChunkStepOp op, Frame &frame) {
  Tensor state = frame[op.getState()], normalizer;
  bool hasNormalizer = bool(op.getNormalizerState());
  if (hasNormalizer)
    normalizer = frame[op.getNormalizerState()];
  auto sequences =
      readSequences(op, frame, frame[op.getQ()].rows(), state.rows());
  if (failed(sequences))
    return failure();
  Step step(op, frame);
  int64_t heads = step.heads, width = step.keyWidth;
  bool vFirst = op.getStateVFirst();
  llvm::parallelFor(0, sequences->size() * heads, [&](size_t task) {
    const Sequence &sequence = (*sequences)[task / heads];
    int64_t head = task % heads;
    if (sequence.isPadded())
      return;
    std::vector<double> local(width * step.valueWidth);
    double *z =
        hasNormalizer ? normalizer.row(sequence.slot) + head * width : nullptr;
    if (!sequence.isFresh())
      moveState(state, sequence.slot, head, vFirst, local, false);
    else if (z)
      std::fill(z, z + width, 0);
    for (Chunk chunk : chunksOf(sequence, op.getChunkSize()))
      step.run(chunk, head, local, z);
    moveState(state, sequence.slot, head, vFirst, local, true);
  });
  frame.set(op.getRead(), std::move(step.read));
  if (op.getPseudo())
    frame.set(op.getPseudo(), std::move(step.pseudo));
  frame.set(op.getNewState(), std::move(state));
  if (hasNormalizer) {
    frame.set(op.getWeight(), std::move(step.weight));
    frame.set(op.getNewNormalizerState(), std::move(normalizer));
  }
  return success();
}
