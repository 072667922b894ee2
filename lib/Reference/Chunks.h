// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chunks of a call, and rows of operands by value head.

#ifndef K3_LIB_REFERENCE_CHUNKS_H
#define K3_LIB_REFERENCE_CHUNKS_H

#include "Sequences.h"

#include "llvm/Support/Parallel.h"

#include <limits>

namespace k3::reference {

/// Tokens [begin, end) of one sequence.
struct Chunk {
  int64_t begin = 0, end = 0;
};

/// Rows [T, heads, width] of an operand, by value head.
struct HeadRows {
  const Tensor *tensor = nullptr;
  int64_t valueHeads = 1;

  explicit operator bool() const { return tensor; }
  const double *at(int64_t token, int64_t valueHead) const {
    int64_t heads = tensor->shape[1];
    int64_t head = valueHead / (valueHeads / heads);
    return tensor->row(token) + head * tensor->shape[2];
  }
};

/// Cumulative log-decays [T, HV] or [T, HV, K], or the steps that they are made
/// of, which may be [HV]. Zero where there is no tensor.
struct LogDecays {
  const Tensor *tensor = nullptr;

  double at(int64_t token, int64_t head, int64_t channel) const {
    if (!tensor)
      return 0;
    if (tensor->shape.size() == 1)
      return tensor->reals[head];
    if (tensor->shape.size() == 2)
      return tensor->row(token)[head];
    return tensor->row(token)[head * tensor->shape[2] + channel];
  }
};

/// The sequences of a chunk op that has no pool.
template <class Op>
mlir::FailureOr<std::vector<Sequence>> chunkSequences(Op op, const Frame &frame,
                                                      int64_t tokens) {
  return readSequences(op, frame, tokens, std::numeric_limits<int32_t>::max());
}

/// The chunks of `sequence`, first to last.
inline std::vector<Chunk> chunksOf(const Sequence &sequence, int64_t size) {
  std::vector<Chunk> chunks;
  for (int64_t t = sequence.begin; t < sequence.end; t += size)
    chunks.push_back({t, std::min(t + size, sequence.end)});
  return chunks;
}

/// Calls `each(chunk, head)` for every chunk that is not padded, on all
/// threads.
template <class Each>
void forEachChunk(const std::vector<Sequence> &sequences, int64_t size,
                  int64_t heads, Each each) {
  std::vector<Chunk> chunks;
  for (const Sequence &sequence : sequences)
    if (!sequence.isPadded())
      llvm::append_range(chunks, chunksOf(sequence, size));
  llvm::parallelFor(0, chunks.size() * heads, [&](size_t task) {
    each(chunks[task / heads], int64_t(task % heads));
  });
}

/// Copies a head's state out of or into the pool, as [K, V].
void moveState(Tensor &pool, int64_t slot, int64_t head, bool vFirst,
               std::vector<double> &state, bool intoPool);

} // namespace k3::reference

#endif // K3_LIB_REFERENCE_CHUNKS_H
