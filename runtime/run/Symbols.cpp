// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binding of dynamic dimensions.

#include "runtime/run/Symbols.h"

using namespace k3;
using namespace k3::run;

Status Symbols::bind(int32_t symbol, int64_t value, const char *origin) {
  if (!isBound(symbol)) {
    values[symbol] = value;
    origins[symbol] = origin;
    return {};
  }
  if (values[symbol] == value)
    return {};
  return Status::error(Code::BadInput, 409,
                       "dimension '" + names[symbol] + "' is " +
                           std::to_string(value) + ", but '" + origins[symbol] +
                           "' makes it " + std::to_string(values[symbol]));
}

Status Symbols::evaluate(const Extent &extent, int64_t &out) const {
  out = extent.bytes;
  int64_t scaled = 0;
  if (extent.symbol >= 0 &&
      (__builtin_mul_overflow(extent.scale, values[extent.symbol], &scaled) ||
       __builtin_add_overflow(out, scaled, &out)))
    return Status::error(Code::Resources, 423,
                         "the size " + std::to_string(extent.scale) + " x " +
                             std::to_string(values[extent.symbol]) +
                             " bytes overflows");
  if (out < 0)
    return Status::error(Code::BadInput, 430,
                         "a buffer has a negative size (" +
                             std::to_string(out) + " bytes)");
  return {};
}
