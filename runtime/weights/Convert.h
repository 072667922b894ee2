// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements from one type to another, and the ones that are not finite.

#ifndef K3_RUNTIME_WEIGHTS_CONVERT_H
#define K3_RUNTIME_WEIGHTS_CONVERT_H

#include "runtime/base/DType.h"

#include <span>

namespace k3 {

/// Equal types, and F32, BF16 and F16 among each other.
bool canConvert(DType from, DType to);

/// Converts `count` elements, rounding to nearest, ties to even. The buffers
/// must not overlap and need no alignment.
void convert(DType from, const uint8_t *in, DType to, uint8_t *out,
             size_t count);

/// Elements that are NaN or infinite.
struct Nonfinite {
  uint64_t nan = 0, infinite = 0;
  uint64_t first = UINT64_MAX; ///< element number

  bool any() const { return nan || infinite; }
  void add(const Nonfinite &other) {
    nan += other.nan;
    infinite += other.infinite;
    first = first < other.first ? first : other.first;
  }
};

/// Looks at `count` elements, the first of which is number `base`. Integers
/// are finite.
Nonfinite findNonfinite(DType dtype, const uint8_t *bytes, size_t count,
                        uint64_t base);
/// The same for E8M0 scales: byte 255 is NaN.
Nonfinite findNonfiniteScales(const uint8_t *bytes, size_t count,
                              uint64_t base);

} // namespace k3

#endif // K3_RUNTIME_WEIGHTS_CONVERT_H
