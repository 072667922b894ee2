// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes the anchored form of a decayed Gram matrix safe.

#ifndef K3_DIALECT_K3_IR_DECAYFORMS_H
#define K3_DIALECT_K3_IR_DECAYFORMS_H

#include <cstdint>

namespace k3 {

/// Factors of the anchored form lie in [2^-62, 2^62]: operands of 2^-64 to 2^64
/// then stay normal numbers of fp32.
constexpr double kLargestBase2Exponent = 62;

/// The largest magnitude of an exponent, in base e, of a diagonal sub-tile of
/// `rows` rows that is anchored at row `anchor`, for log-decays in [lower, 0].
/// `undecayed`: the left side sees the sums of the row before its own.
double anchoredExponent(double lower, int64_t rows, int64_t anchor,
                        bool undecayed);

/// True when an exponent of base e is within the limit.
bool isSafeExponent(double exponent);

} // namespace k3

#endif // K3_DIALECT_K3_IR_DECAYFORMS_H
