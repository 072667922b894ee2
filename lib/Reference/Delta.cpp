// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recurrence, one token at a time as its op card has it.

#include "Chunks.h"
#include "Scalar.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

namespace {

/// One delta_rule op.
class Recurrence {
public:
  Recurrence(DeltaRuleOp op, Frame &frame)
      : op(op), q(rows(frame, op.getQ())), k(rows(frame, op.getK())),
        v(rows(frame, op.getV())), a(rows(frame, op.getA())),
        b(rows(frame, op.getB())), g(frame.find(op.getG())),
        beta(frame.find(op.getBeta())), keyWidth(q.tensor->shape[2]),
        valueWidth(v.tensor->shape[2]), heads(v.tensor->shape[1]),
        scale(op.getScale().convertToDouble()) {
    for (HeadRows *each : {&q, &k, &v, &a, &b})
      each->valueHeads = heads;
  }

  /// Runs one head of one sequence. `state` is [K, V], `normalizer` [K] or
  /// null.
  void run(const Sequence &sequence, int64_t head, double *state,
           double *normalizer, Tensor &out) const;

private:
  static HeadRows rows(Frame &frame, Value value) {
    return {frame.find(value)};
  }
  void decays(int64_t token, int64_t head, std::vector<double> &decay) const;
  /// The erase x (y^T R) of the op card; false when there is none.
  bool eraseOf(int64_t token, int64_t head, std::vector<double> &x,
               const double *&y) const;
  void writeKey(int64_t token, int64_t head, const std::vector<double> &decay,
                std::vector<double> &w) const;
  double betaAt(int64_t token, int64_t head) const {
    return beta->row(token)[head];
  }

  mutable DeltaRuleOp op; // accessors of ops are not const
  HeadRows q, k, v, a, b;
  const Tensor *g, *beta;
  int64_t keyWidth, valueWidth, heads;
  double scale;
};

} // namespace

void Recurrence::decays(int64_t token, int64_t head,
                        std::vector<double> &decay) const {
  switch (op.getDecay()) {
  case Decay::None:
    decay.assign(keyWidth, 1);
    break;
  case Decay::HeadConstant:
    decay.assign(keyWidth, std::exp(g->reals[head]));
    break;
  case Decay::Head:
    decay.assign(keyWidth, std::exp(g->row(token)[head]));
    break;
  case Decay::Channel:
    for (int64_t i = 0; i < keyWidth; ++i)
      decay[i] = std::exp(g->row(token)[head * keyWidth + i]);
    break;
  }
}

bool Recurrence::eraseOf(int64_t token, int64_t head, std::vector<double> &x,
                         const double *&y) const {
  if (op.getErase() == Erase::None)
    return false;
  if (op.getErase() == Erase::LowRank) {
    const double *left = b.at(token, head);
    x.assign(left, left + keyWidth);
    y = a.at(token, head);
    return true;
  }
  const double *key = k.at(token, head);
  for (int64_t i = 0; i < keyWidth; ++i)
    x[i] = -betaAt(token, head) * key[i];
  y = op.getErase() == Erase::Delta ? key : a.at(token, head);
  return true;
}

void Recurrence::writeKey(int64_t token, int64_t head,
                          const std::vector<double> &decay,
                          std::vector<double> &w) const {
  for (int64_t i = 0; i < keyWidth; ++i)
    switch (op.getWrite()) {
    case Write::Value:
      w[i] = k.at(token, head)[i];
      break;
    case Write::BetaValue:
      w[i] = betaAt(token, head) * k.at(token, head)[i];
      break;
    case Write::TiedKey:
      w[i] = -std::expm1(g->row(token)[head * keyWidth + i]);
      break;
    }
}

void Recurrence::run(const Sequence &sequence, int64_t head, double *state,
                     double *normalizer, Tensor &out) const {
  std::vector<double> decay(keyWidth), x(keyWidth), w(keyWidth);
  std::vector<double> read(valueWidth);
  bool decayed = op.getReadState() == ReadState::Decayed;
  for (int64_t t = sequence.begin; t < sequence.end; ++t) {
    decays(t, head, decay);
    const double *y = nullptr, *value = v.at(t, head), *query = q.at(t, head);
    bool erases = eraseOf(t, head, x, y);
    writeKey(t, head, decay, w);
    std::fill(read.begin(), read.end(), 0);
    for (int64_t i = 0; erases && i < keyWidth; ++i) {
      double factor = y[i] * (decayed ? decay[i] : 1);
      for (int64_t j = 0; j < valueWidth; ++j)
        read[j] += factor * state[i * valueWidth + j];
    }
    double *o = out.row(t) + head * valueWidth;
    for (int64_t i = 0; i < keyWidth; ++i) {
      double *row = state + i * valueWidth, xi = erases ? x[i] : 0;
      for (int64_t j = 0; j < valueWidth; ++j) {
        row[j] = decay[i] * row[j] + xi * read[j] + w[i] * value[j];
        o[j] += scale * query[i] * row[j];
      }
    }
    if (!normalizer)
      continue;
    double weight = op.getNormalizerEps()->convertToDouble();
    for (int64_t i = 0; i < keyWidth; ++i) {
      normalizer[i] = decay[i] * normalizer[i] + w[i];
      weight += scale * normalizer[i] * query[i];
    }
    for (int64_t j = 0; j < valueWidth; ++j)
      o[j] /= weight;
  }
}

void k3::reference::moveState(Tensor &pool, int64_t slot, int64_t head,
                              bool vFirst, std::vector<double> &state,
                              bool intoPool) {
  int64_t rows = pool.shape[2], columns = pool.shape[3];
  double *at = pool.row(slot) + head * rows * columns;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      double &inPool = at[r * columns + c];
      double &local = vFirst ? state[c * rows + r] : state[r * columns + c];
      intoPool ? inPool = local : local = inPool;
    }
}

LogicalResult k3::reference::evaluate(DeltaRuleOp op, Frame &frame) {
  const Tensor &v = frame[op.getV()];
  Tensor state = frame[op.getState()], normalizer;
  bool hasNormalizer = bool(op.getNormalizerState());
  if (hasNormalizer)
    normalizer = frame[op.getNormalizerState()];
  auto sequences = readSequences(op, frame, v.rows(), state.rows());
  if (failed(sequences))
    return failure();
  Tensor out = Tensor::ofReals(v.shape);
  Recurrence recurrence(op, frame);
  int64_t heads = v.shape[1], keyWidth = frame[op.getQ()].shape[2];
  llvm::parallelFor(0, sequences->size() * heads, [&](size_t task) {
    const Sequence &sequence = (*sequences)[task / heads];
    int64_t head = task % heads;
    if (sequence.isPadded())
      return;
    std::vector<double> local(keyWidth * v.shape[2]);
    double *z = hasNormalizer ? normalizer.row(sequence.slot) + head * keyWidth
                              : nullptr;
    if (!sequence.isFresh())
      moveState(state, sequence.slot, head, op.getStateVFirst(), local, false);
    else if (z)
      std::fill(z, z + keyWidth, 0);
    recurrence.run(sequence, head, local.data(), z, out);
    moveState(state, sequence.slot, head, op.getStateVFirst(), local, true);
  });
  frame.set(op.getO(), std::move(out));
  frame.set(op.getNewState(), std::move(state));
  if (hasNormalizer)
    frame.set(op.getNewNormalizerState(), std::move(normalizer));
  return success();
}
