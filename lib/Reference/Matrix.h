// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with matrices, on all threads.

#ifndef K3_LIB_REFERENCE_MATRIX_H
#define K3_LIB_REFERENCE_MATRIX_H

#include <cstdint>

namespace k3::reference {

/// out[r, n] = sum_k x[r, k] w[n, k]. Rows of x and w lie `xStride` and
/// `wStride` doubles apart, rows of out `n`.
void multiply(const double *x, int64_t xStride, const double *w,
              int64_t wStride, double *out, int64_t rows, int64_t n, int64_t k);

} // namespace k3::reference

#endif // K3_LIB_REFERENCE_MATRIX_H
