// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of element types, and IEEE 754 half precision.

#include "runtime/base/DType.h"

using namespace k3;

namespace {

struct Row {
  std::string_view name;
  size_t bytes;
};

// In the order of the enumeration.
constexpr Row rows[numDTypes] = {{"F32", 4}, {"BF16", 2}, {"F16", 2},
                                 {"F64", 8}, {"I32", 4},  {"I64", 8},
                                 {"U8", 1}};

} // namespace

std::string_view k3::nameOf(DType dtype) { return rows[size_t(dtype)].name; }

size_t k3::bytesOf(DType dtype) { return rows[size_t(dtype)].bytes; }

std::optional<DType> k3::parseDType(std::string_view name) {
  for (unsigned i = 0; i < numDTypes; ++i)
    if (rows[i].name == name)
      return DType(i);
  return std::nullopt;
}

float k3::floatFromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 0x1f;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) {
    float magnitude = float(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t k3::halfFromFloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return uint16_t(sign | 0x7e00 | (bits >> 13 & 0x1ff));
  // From halfway between the largest half and the next power of two.
  if (bits >= 0x477ff000)
    return sign | 0x7c00;
  if (bits < 0x38800000) {
    // Subnormal: one unit is 2^-24, and adding 0.5 (one unit is 2^-24 there)
    // rounds to it.
    float shifted = std::bit_cast<float>(bits) + 0.5f;
    return sign | uint16_t(std::bit_cast<uint32_t>(shifted) - 0x3f000000);
  }
  bits += 0xfff + (bits >> 13 & 1);
  return sign | uint16_t((bits - 0x38000000) >> 13);
}
