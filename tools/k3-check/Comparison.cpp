// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and maxima of differences.

#include "Comparison.h"

#include <algorithm>
#include <cmath>

using namespace k3;
using reference::Tensor;

/// A NaN stays the largest.
static double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

static double ratio(double difference, double size) {
  if (difference == 0)
    return 0;
  return difference / size; // infinite for a wanted zero
}

Difference k3::compare(const Tensor &actual, const Tensor &wanted) {
  Difference out;
  if (wanted.isInteger) {
    for (auto [a, b] : llvm::zip_equal(actual.integers, wanted.integers))
      out.mismatches += a != b;
    return out;
  }
  int64_t width = wanted.shape.empty() ? 1 : wanted.shape.back();
  double squares = 0, size = 0;
  for (int64_t begin = 0; width > 0 && begin < wanted.count(); begin += width) {
    double rowMax = 0, rowSize = 0;
    for (int64_t i = begin; i < begin + width; ++i) {
      double a = actual.reals[i], b = wanted.reals[i];
      // Infinities of one sign are equal.
      double delta = a == b ? 0 : std::abs(a - b);
      rowMax = larger(delta, rowMax);
      rowSize = larger(std::abs(b), rowSize);
      squares += delta * delta;
      size += b * b;
    }
    out.maxAbs = larger(rowMax, out.maxAbs);
    out.rowRatio = larger(ratio(rowMax, rowSize), out.rowRatio);
  }
  out.rmsRatio = std::sqrt(ratio(squares, size));
  return out;
}
