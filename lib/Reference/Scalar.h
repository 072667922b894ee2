// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar functions, written so that no intermediate overflows.

#ifndef K3_LIB_REFERENCE_SCALAR_H
#define K3_LIB_REFERENCE_SCALAR_H

#include "k3/Dialect/K3/IR/K3.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace k3::reference {

inline double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

/// log(1 + exp(x)).
inline double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

inline double activate(Activation activation, double x) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Sigmoid:
    return sigmoid(x);
  case Activation::Silu:
    return x * sigmoid(x);
  }
  return x;
}

inline double situ(double gate, double up, double beta,
                   std::optional<double> linearBeta) {
  double linear = linearBeta ? *linearBeta * std::tanh(up / *linearBeta) : up;
  return beta * std::tanh(gate / beta) * sigmoid(gate) * linear;
}

inline double swiglu(double gate, double up) {
  return gate * sigmoid(gate) * up;
}

/// sum_i a[i] b[i]. The order is the compiler's, so that it may use vectors.
inline double dot(const double *a, const double *b, int64_t count) {
#pragma clang fp reassociate(on) contract(on)
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

} // namespace k3::reference

#endif // K3_LIB_REFERENCE_SCALAR_H
