// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a call's token axis is cut into sequences and where each one's memory
// lives: `cu_seqlens`, `slots`, `context_lens`.

#ifndef K3_RUNTIME_RUN_SEQUENCES_H
#define K3_RUNTIME_RUN_SEQUENCES_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>

namespace k3::run {

/// What a call says about its sequences. A missing array is empty and its
/// flag false. Values are the caller's and not to be trusted before `check`.
struct Sequences {
  /// The kernels' token axis; -1 when the entry has none.
  int64_t tokens = -1;
  bool hasCuSeqlens = false, hasSlots = false, hasContextLens = false;
  std::span<const int32_t> cuSeqlens, slots, contextLens;

  int64_t count() const {
    if (hasSlots)
      return int64_t(slots.size());
    return hasCuSeqlens ? int64_t(cuSeqlens.size()) - 1 : 0;
  }
  /// New tokens of sequence `n`; one each when nothing cuts the axis.
  int64_t length(int64_t n) const {
    return hasCuSeqlens ? int64_t(cuSeqlens[n + 1]) - cuSeqlens[n] : 1;
  }
};

/// `cu_seqlens` starts at 0, never decreases, ends at the token count and has
/// one entry more than there are sequences.
Status checkCuSeqlens(const Sequences &sequences);

/// Every slot is -1 or inside the pool, and none is named twice.
Status checkSlots(const Sequences &sequences, int64_t pool);

/// No sequence has a negative past or outgrows `capacity` tokens (-1: no
/// limit).
Status checkContext(const Sequences &sequences, int64_t capacity);

/// Every token id is in [0, vocabulary).
Status checkTokens(std::span<const int32_t> tokens, int64_t vocabulary);

} // namespace k3::run

#endif // K3_RUNTIME_RUN_SEQUENCES_H
