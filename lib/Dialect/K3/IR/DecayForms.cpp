// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes the anchored form of a decayed Gram matrix safe.

#include "k3/Dialect/K3/IR/DecayForms.h"

#include <algorithm>
#include <cmath>

namespace k3 {

double anchoredExponent(double lower, int64_t rows, int64_t anchor,
                        bool undecayed) {
  int64_t steps = std::max(anchor + (undecayed ? 1 : 0), rows - 1 - anchor);
  return steps == 0 ? 0 : double(steps) * std::abs(lower);
}

bool isSafeExponent(double exponent) {
  return exponent <= kLargestBase2Exponent * std::log(2.0);
}

} // namespace k3
