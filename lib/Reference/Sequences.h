// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sequences that a call works on.

#ifndef K3_LIB_REFERENCE_SEQUENCES_H
#define K3_LIB_REFERENCE_SEQUENCES_H

#include "Frame.h"

namespace k3::reference {

struct Sequence {
  int64_t begin = 0, end = 0; ///< its tokens
  int64_t slot = -1;          ///< -1: a padded row
  int64_t length = 0;         ///< tokens that the slot holds already

  int64_t tokens() const { return end - begin; }
  bool isPadded() const { return slot < 0; }
  bool isFresh() const { return length == 0; }
};

/// The sequences of `op` over `tokens` tokens and a pool of `slots` slots.
/// Fails with a diagnostic when they do not fit together.
mlir::FailureOr<std::vector<Sequence>>
readSequences(mlir::Operation *op, const Tensor &cuSeqlens, const Tensor &slots,
              const Tensor &contextLens, int64_t tokens, int64_t poolSlots);

template <class Op>
mlir::FailureOr<std::vector<Sequence>>
readSequences(Op op, const Frame &frame, int64_t tokens, int64_t poolSlots) {
  return readSequences(op, frame[op.getCuSeqlens()], frame[op.getSlots()],
                       frame[op.getContextLens()], tokens, poolSlots);
}

} // namespace k3::reference

#endif // K3_LIB_REFERENCE_SEQUENCES_H
