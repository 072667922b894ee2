// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Latent attention over its cache, whole and in its absorbed parts.

#include "Matrix.h"
#include "Scalar.h"
#include "Sequences.h"

#include "llvm/Support/Parallel.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

/// A sequence's tokens must have room in the cache.
static LogicalResult checkRoom(Operation *op, ArrayRef<Sequence> sequences,
                               const Tensor &cache) {
  for (const Sequence &sequence : sequences)
    if (!sequence.isPadded() &&
        sequence.length + sequence.tokens() > cache.shape[1])
      return op->emitError("a sequence of ")
             << sequence.length + sequence.tokens()
             << " tokens does not fit into a slot of " << cache.shape[1];
  return success();
}

LogicalResult k3::reference::evaluate(LatentAppendOp op, Frame &frame) {
  const Tensor &latent = frame[op.getLatent()], &kRot = frame[op.getKRot()];
  Tensor cache = frame[op.getCache()];
  auto sequences = readSequences(op, frame, latent.rows(), cache.rows());
  if (failed(sequences) || failed(checkRoom(op, *sequences, cache)))
    return failure();
  int64_t width = latent.shape[1], all = cache.shape[2];
  for (const Sequence &sequence : *sequences)
    for (int64_t i = 0; !sequence.isPadded() && i < sequence.tokens(); ++i) {
      double *to = cache.row(sequence.slot) + (sequence.length + i) * all;
      std::copy_n(latent.row(sequence.begin + i), width, to);
      std::copy_n(kRot.row(sequence.begin + i), all - width, to + width);
    }
  frame.set(op.getNewCache(), std::move(cache));
  return success();
}

namespace {

/// Keys and values of one head: row j of either starts at stride * j.
struct KeyValues {
  const double *keys, *sharedKeys, *values;
  int64_t stride, sharedStride, valueStride;
  int64_t keyWidth, sharedWidth, valueWidth;
};

} // namespace

/// out = sum_j softmax_j(scale * query . [key_j | sharedKey_j]) value_j.
static void attend(const double *query, const KeyValues &memory, int64_t seen,
                   double scale, double *out) {
  std::vector<double> shares(seen);
  for (int64_t j = 0; j < seen; ++j)
    shares[j] =
        scale *
        (dot(query, memory.keys + j * memory.stride, memory.keyWidth) +
         dot(query + memory.keyWidth,
             memory.sharedKeys + j * memory.sharedStride, memory.sharedWidth));
  double best = *llvm::max_element(shares), total = 0;
  for (double &share : shares)
    total += share = std::exp(share - best);
  for (int64_t j = 0; j < seen; ++j) {
    const double *value = memory.values + j * memory.valueStride;
    for (int64_t i = 0; i < memory.valueWidth; ++i)
      out[i] += shares[j] / total * value[i];
  }
}

LogicalResult k3::reference::evaluate(LatentAttentionOp op, Frame &frame) {
  const Tensor &q = frame[op.getQ()], &kvB = frame[op.getKvB()];
  const Tensor &cache = frame[op.getCache()];
  auto sequences = readSequences(op, frame, q.rows(), cache.rows());
  if (failed(sequences) || failed(checkRoom(op, *sequences, cache)))
    return failure();
  int64_t heads = q.shape[1], nope = op.getQkNopeHeadDim();
  int64_t latent = kvB.shape[1], all = cache.shape[2];
  int64_t perHead = kvB.rows() / heads, valueWidth = perHead - nope;
  double scale = op.getScale().convertToDouble();
  Tensor out = Tensor::ofReals({q.rows(), heads, valueWidth});
  for (const Sequence &sequence : *sequences) {
    if (sequence.isPadded() || sequence.tokens() == 0)
      continue;
    const double *rows = cache.row(sequence.slot);
    int64_t length = sequence.length + sequence.tokens();
    std::vector<double> expanded(length * kvB.rows());
    multiply(rows, all, kvB.reals.data(), latent, expanded.data(), length,
             kvB.rows(), latent);
    llvm::parallelFor(0, sequence.tokens() * heads, [&](int64_t task) {
      int64_t token = task / heads, head = task % heads;
      const double *own = expanded.data() + head * perHead;
      KeyValues memory{own,        rows + latent, own + nope,   kvB.rows(), all,
                       kvB.rows(), nope,          all - latent, valueWidth};
      attend(q.row(sequence.begin + token) + head * q.shape[2], memory,
             sequence.length + token + 1, scale,
             out.row(sequence.begin + token) + head * valueWidth);
    });
  }
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(LatentAttendOp op, Frame &frame) {
  const Tensor &q = frame[op.getQ()], &cache = frame[op.getCache()];
  auto sequences = readSequences(op, frame, q.rows(), cache.rows());
  if (failed(sequences) || failed(checkRoom(op, *sequences, cache)))
    return failure();
  Tensor out = Tensor::ofReals(shapeLike(q, op.getResult()));
  int64_t heads = q.shape[1], latent = out.shape[2], all = cache.shape[2];
  double scale = op.getScale().convertToDouble();
  for (const Sequence &sequence : *sequences) {
    if (sequence.isPadded())
      continue;
    const double *rows = cache.row(sequence.slot);
    llvm::parallelFor(0, sequence.tokens() * heads, [&](int64_t task) {
      int64_t token = task / heads, head = task % heads;
      KeyValues memory{rows, rows + latent, rows,         all,   all,
                       all,  latent,        all - latent, latent};
      attend(q.row(sequence.begin + token) + head * all, memory,
             sequence.length + token + 1, scale,
             out.row(sequence.begin + token) + head * latent);
    });
  }
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(AbsorbQueryOp op, Frame &frame) {
  const Tensor &q = frame[op.getQ()], &kvB = frame[op.getKvB()];
  Tensor out = Tensor::ofReals(shapeLike(q, op.getResult()));
  int64_t heads = q.shape[1], nope = op.getQkNopeHeadDim();
  int64_t latent = kvB.shape[1], perHead = kvB.rows() / heads;
  llvm::parallelFor(0, q.rows() * heads, [&](int64_t task) {
    const double *from = q.reals.data() + task * q.shape[2];
    double *to = out.reals.data() + task * out.shape[2];
    const double *keys = kvB.row(task % heads * perHead);
    for (int64_t i = 0; i < nope; ++i)
      for (int64_t j = 0; j < latent; ++j)
        to[j] += from[i] * keys[i * latent + j];
    std::copy(from + nope, from + q.shape[2], to + latent);
  });
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(AbsorbValueOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()], &kvB = frame[op.getKvB()];
  Tensor out = Tensor::ofReals(shapeLike(x, op.getResult()));
  int64_t heads = x.shape[1], latent = kvB.shape[1];
  int64_t perHead = kvB.rows() / heads, width = out.shape[2];
  llvm::parallelFor(0, x.rows() * heads, [&](int64_t task) {
    const double *values =
        kvB.row(task % heads * perHead + op.getQkNopeHeadDim());
    for (int64_t i = 0; i < width; ++i)
      out.reals[task * width + i] =
          dot(x.reals.data() + task * latent, values + i * latent, latent);
  });
  frame.set(op.getResult(), std::move(out));
  return success();
}
