// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of cu_seqlens, slots and context_lens.

#include "Sequences.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

static LogicalResult checkBounds(Operation *op, ArrayRef<int32_t> bounds,
                                 int64_t tokens) {
  if (bounds.empty() || bounds.front() != 0)
    return op->emitError("cu_seqlens must start at 0");
  for (size_t n = 1; n < bounds.size(); ++n)
    if (bounds[n] < bounds[n - 1])
      return op->emitError("cu_seqlens decreases at ") << n;
  if (bounds.back() != tokens)
    return op->emitError("cu_seqlens must end at ")
           << tokens << " tokens, got " << bounds.back();
  return success();
}

FailureOr<std::vector<Sequence>>
k3::reference::readSequences(Operation *op, const Tensor &cuSeqlens,
                             const Tensor &slots, const Tensor &contextLens,
                             int64_t tokens, int64_t poolSlots) {
  ArrayRef<int32_t> bounds = cuSeqlens.integers;
  if (failed(checkBounds(op, bounds, tokens)))
    return failure();
  size_t count = bounds.size() - 1;
  if (slots.integers.size() != count || contextLens.integers.size() != count)
    return op->emitError("slots and context_lens must have ")
           << count << " entries, got " << slots.integers.size() << " and "
           << contextLens.integers.size();
  std::vector<Sequence> sequences;
  llvm::DenseSet<int64_t> taken;
  for (size_t n = 0; n < count; ++n) {
    Sequence sequence{bounds[n], bounds[n + 1], slots.integers[n],
                      contextLens.integers[n]};
    if (sequence.slot < -1 || sequence.slot >= poolSlots)
      return op->emitError("slot ")
             << sequence.slot << " lies outside the pool of " << poolSlots;
    if (!sequence.isPadded() && !taken.insert(sequence.slot).second)
      return op->emitError("two sequences share slot ") << sequence.slot;
    if (sequence.length < 0)
      return op->emitError("context_lens has a negative entry");
    sequences.push_back(sequence);
  }
  return sequences;
}
