// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of log-decays, and the safe form of decayed Gram matrices.

#ifndef K3_DIALECT_K3_ANALYSIS_DECAYBOUNDS_H
#define K3_DIALECT_K3_ANALYSIS_DECAYBOUNDS_H

#include "k3/Dialect/K3/IR/DecayForms.h"
#include "k3/Dialect/K3/IR/K3.h"

#include <limits>

namespace k3 {

/// The attribute by which a function argument or an op states the bounds of
/// its log-decays: an array of two f64, the lower one first.
constexpr llvm::StringLiteral kDecayBoundsName = "k3.log_decay_bounds";

/// Every log-decay of a tensor lies in [lower, upper].
struct DecayBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// What gates, constants, views and stated bounds say about `value`. Fails
/// with a diagnostic when a stated bound is malformed or contradicts them.
mlir::FailureOr<DecayBounds> decayBoundsOf(mlir::Value value);

/// How the entries sum_c x[i, c] y[j, c] exp(G[i, c] - G[j, c]) of a diagonal
/// sub-tile are computed, G being the cumulative log-decays.
struct DecayChoice {
  DecayForm form;
  /// Of `Anchored`: the reference row, and the proven largest magnitude of an
  /// exponent, in base e.
  int64_t anchor = 0;
  double exponent = 0;
};

/// True when the op's erase sees the sums of the row before its own.
bool readsUndecayed(DeltaRuleOp op);

/// The largest exponent of an anchored sub-tile of `rows` rows; infinite
/// without a lower bound. The upper bound must not be positive.
double anchoredExponent(DeltaRuleOp op, const DecayBounds &bounds,
                        int64_t rows);

/// The form for diagonal sub-tiles of `rows` rows.
DecayChoice chooseDecayForm(DeltaRuleOp op, const DecayBounds &bounds,
                            int64_t rows);

/// What is known about the log-decays of `op`; refuses one that may be
/// positive.
mlir::FailureOr<DecayBounds> provenBounds(DeltaRuleOp op);

/// The choice for sub-tiles of `rows` rows and why, for a remark.
std::string describeDecay(DeltaRuleOp op, const DecayBounds &bounds,
                          int64_t rows);

} // namespace k3

#endif // K3_DIALECT_K3_ANALYSIS_DECAYBOUNDS_H
