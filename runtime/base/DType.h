// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types as safetensors names them, and conversion between the
// floating-point ones.

#ifndef K3_RUNTIME_BASE_DTYPE_H
#define K3_RUNTIME_BASE_DTYPE_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace k3 {

/// Numbered as k3_dtype in k3rt.h and DType in Artefact.fbs.
enum class DType : uint8_t { F32, BF16, F16, F64, I32, I64, U8 };

constexpr unsigned numDTypes = 7;

/// "F32", "BF16", ...; a static string.
std::string_view nameOf(DType dtype);
std::optional<DType> parseDType(std::string_view name);
size_t bytesOf(DType dtype);

/// Exact.
inline float floatFromBf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Rounds to nearest, ties to even; a NaN stays a NaN.
inline uint16_t bf16FromFloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Exact.
float floatFromHalf(uint16_t bits);
/// Rounds to nearest, ties to even; too large becomes infinite.
uint16_t halfFromFloat(float value);

} // namespace k3

#endif // K3_RUNTIME_BASE_DTYPE_H
