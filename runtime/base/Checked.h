// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on sizes that come from outside: a result, or the news that it
// does not fit.

#ifndef K3_RUNTIME_BASE_CHECKED_H
#define K3_RUNTIME_BASE_CHECKED_H

#include <cstdint>
#include <span>

namespace k3 {

template <class T> [[nodiscard]] bool checkedAdd(T a, T b, T &out) {
  return !__builtin_add_overflow(a, b, &out);
}

template <class T> [[nodiscard]] bool checkedSub(T a, T b, T &out) {
  return !__builtin_sub_overflow(a, b, &out);
}

template <class T> [[nodiscard]] bool checkedMul(T a, T b, T &out) {
  return !__builtin_mul_overflow(a, b, &out);
}

/// The number of elements of a shape; false when a dimension is negative or
/// the product exceeds 2^63 - 1.
[[nodiscard]] inline bool elementCount(std::span<const int64_t> shape,
                                       int64_t &out) {
  // A zero makes the product zero, but must not hide an overflow before it.
  int64_t product = 1;
  bool hasZero = false;
  for (int64_t size : shape) {
    if (size < 0)
      return false;
    hasZero |= size == 0;
    if (size != 0 && !checkedMul(product, size, product))
      return false;
  }
  out = hasZero ? 0 : product;
  return true;
}

} // namespace k3

#endif // K3_RUNTIME_BASE_CHECKED_H
