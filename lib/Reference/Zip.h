// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions of two tensors.

#ifndef K3_LIB_REFERENCE_ZIP_H
#define K3_LIB_REFERENCE_ZIP_H

#include "k3/Reference/Tensor.h"

namespace k3::reference {

/// Both have one shape, which is the result's.
template <class Function>
Tensor zip(const Tensor &a, const Tensor &b, Function combine) {
  Tensor out = Tensor::ofReals(a.shape);
  for (size_t i = 0; i < out.reals.size(); ++i)
    out.reals[i] = combine(a.reals[i], b.reals[i]);
  return out;
}

} // namespace k3::reference

#endif // K3_LIB_REFERENCE_ZIP_H
