// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocked so that a row of the weight is read from memory once a block.

#include "Matrix.h"
#include "Scalar.h"

#include "llvm/Support/Parallel.h"

using namespace k3::reference;

constexpr int64_t blockRows = 16;

void k3::reference::multiply(const double *x, int64_t xStride, const double *w,
                             int64_t wStride, double *out, int64_t rows,
                             int64_t n, int64_t k) {
  // One task owns a block of rows and a range of outputs; single rows are cut
  // along the outputs so that decoding uses all threads, too.
  constexpr int64_t blockOutputs = 256;
  int64_t rowBlocks = (rows + blockRows - 1) / blockRows;
  int64_t outputBlocks = (n + blockOutputs - 1) / blockOutputs;
  llvm::parallelFor(0, rowBlocks * outputBlocks, [&](int64_t task) {
    int64_t firstRow = task / outputBlocks * blockRows;
    int64_t first = task % outputBlocks * blockOutputs;
    int64_t lastRow = std::min(firstRow + blockRows, rows);
    int64_t last = std::min(first + blockOutputs, n);
    for (int64_t i = first; i < last; ++i)
      for (int64_t r = firstRow; r < lastRow; ++r)
        out[r * n + i] = dot(x + r * xStride, w + i * wStride, k);
  });
}
