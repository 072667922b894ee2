// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a value is from the reference, and how far it may be.

#ifndef K3_TOOLS_K3_CHECK_COMPARISON_H
#define K3_TOOLS_K3_CHECK_COMPARISON_H

#include "k3/Reference/Tensor.h"

namespace k3 {

struct Difference {
  double maxAbs = 0;   ///< largest |actual - reference|
  double rmsRatio = 0; ///< rms of the difference over rms of the reference
  /// Largest, over rows of the last dimension, of the row's maxAbs over the
  /// largest |reference| in the row.
  double rowRatio = 0;
  int64_t mismatches = 0; ///< of integers
};

struct Bounds {
  double rmsRatio = 0, rowRatio = 0;

  bool allow(const Difference &difference) const {
    // NaN is never allowed.
    return difference.rmsRatio <= rmsRatio && difference.rowRatio <= rowRatio &&
           difference.mismatches == 0;
  }
};

/// Per op, on the compiled inputs: docs/Numerics.md says why.
constexpr Bounds f32Bounds = {1e-5, 1e-4}, bf16Bounds = {1e-2, 5e-2};

/// Both have one shape.
Difference compare(const reference::Tensor &actual,
                   const reference::Tensor &wanted);

} // namespace k3

#endif // K3_TOOLS_K3_CHECK_COMPARISON_H
