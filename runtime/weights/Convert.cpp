// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that compilers vectorise; memcpy stands for unaligned access.

#include "runtime/weights/Convert.h"

#include <cstring>

using namespace k3;

namespace {

template <class T> T load(const uint8_t *bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

template <class T> void store(uint8_t *bytes, size_t i, T value) {
  std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
}

float identity(float value) { return value; }

template <class From, class To, class Widen, class Narrow>
void loop(const uint8_t *in, uint8_t *out, size_t count, Widen widen,
          Narrow narrow) {
  for (size_t i = 0; i < count; ++i)
    store<To>(out, i, narrow(widen(load<From>(in, i))));
}

template <class From, class Widen>
void convertTo(const uint8_t *in, DType to, uint8_t *out, size_t count,
               Widen widen) {
  if (to == DType::F32)
    loop<From, float>(in, out, count, widen, identity);
  else if (to == DType::BF16)
    loop<From, uint16_t>(in, out, count, widen, bf16FromFloat);
  else
    loop<From, uint16_t>(in, out, count, widen, halfFromFloat);
}

bool isSmallFloat(DType dtype) {
  return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16;
}

/// An exponent of all ones; a fraction of zero then means infinite.
template <class Word>
Nonfinite find(const uint8_t *bytes, size_t count, uint64_t base, Word exponent,
               Word fraction) {
  Nonfinite found;
  size_t suspects = 0;
  for (size_t i = 0; i < count; ++i)
    suspects += (load<Word>(bytes, i) & exponent) == exponent;
  for (size_t i = 0; suspects && i < count; ++i) {
    Word word = load<Word>(bytes, i);
    if ((word & exponent) != exponent)
      continue;
    --suspects;
    if (!found.any())
      found.first = base + i;
    ++(word & fraction ? found.nan : found.infinite);
  }
  return found;
}

} // namespace

bool k3::canConvert(DType from, DType to) {
  return from == to || (isSmallFloat(from) && isSmallFloat(to));
}

void k3::convert(DType from, const uint8_t *in, DType to, uint8_t *out,
                 size_t count) {
  if (from == to)
    std::memcpy(out, in, count * bytesOf(from));
  else if (from == DType::F32)
    convertTo<float>(in, to, out, count, identity);
  else if (from == DType::BF16)
    convertTo<uint16_t>(in, to, out, count, floatFromBf16);
  else
    convertTo<uint16_t>(in, to, out, count, floatFromHalf);
}

Nonfinite k3::findNonfinite(DType dtype, const uint8_t *bytes, size_t count,
                            uint64_t base) {
  switch (dtype) {
  case DType::F32:
    return find<uint32_t>(bytes, count, base, 0x7f800000, 0x7fffff);
  case DType::BF16:
    return find<uint16_t>(bytes, count, base, 0x7f80, 0x7f);
  case DType::F16:
    return find<uint16_t>(bytes, count, base, 0x7c00, 0x3ff);
  case DType::F64:
    return find<uint64_t>(bytes, count, base, 0x7ff0000000000000,
                          0xfffffffffffff);
  case DType::I32:
  case DType::I64:
  case DType::U8:
    break;
  }
  return {};
}

Nonfinite k3::findNonfiniteScales(const uint8_t *bytes, size_t count,
                                  uint64_t base) {
  return find<uint8_t>(bytes, count, base, 0xff, 0xff);
}
