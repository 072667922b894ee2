// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MXFP4 values (OCP Microscaling Formats 1.0).

#ifndef K3_REFERENCE_MXFP4_H
#define K3_REFERENCE_MXFP4_H

#include <cmath>
#include <cstdint>

namespace k3::reference {

/// Inputs that share a scale.
constexpr int64_t mxfp4Block = 32;

/// Bit 3 is the sign; code 8 is -0.
inline double e2m1Value(unsigned nibble) {
  constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  double value = magnitudes[nibble & 7];
  return nibble & 8 ? -value : value;
}

/// 2^(code - 127); code 255 is NaN.
inline double e8m0Value(unsigned code) {
  return code == 255 ? std::nan("") : std::ldexp(1.0, int(code) - 127);
}

/// Decodes `count` inputs; input 2j is the low nibble of byte j.
inline void decodeMxfp4(const int32_t *bytes, const int32_t *scales,
                        int64_t count, double *out) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = e2m1Value(unsigned(bytes[i / 2]) >> (i % 2 * 4) & 15) *
             e8m0Value(scales[i / mxfp4Block]);
}

} // namespace k3::reference

#endif // K3_REFERENCE_MXFP4_H
