// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions against the definition of rounding: the nearest value, and of
// two equally near ones the even one.

#include "runtime/base/DType.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace k3;

namespace {

/// The number that wins between two neighbours, given as bits and values.
uint16_t nearer(double value, uint16_t low, double lowValue, uint16_t high,
                double highValue) {
  double below = value - lowValue, above = highValue - value;
  if (below != above)
    return below < above ? low : high;
  return low % 2 == 0 ? low : high;
}

} // namespace

TEST(DType, NamesAndSizes) {
  for (unsigned i = 0; i < numDTypes; ++i)
    EXPECT_EQ(parseDType(nameOf(DType(i))), DType(i));
  EXPECT_EQ(bytesOf(DType::BF16), 2u);
  EXPECT_EQ(bytesOf(DType::I64), 8u);
  EXPECT_EQ(parseDType("bf16"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
}

// Every bfloat16, with every kind of remainder in the bits below it.
TEST(DType, Bf16RoundsToNearestEven) {
  for (uint32_t high = 0; high < 0x7f80; ++high)
    for (uint32_t low : {0x0000u, 0x0001u, 0x4000u, 0x7fffu, 0x8000u, 0x8001u,
                         0xc000u, 0xffffu}) {
      float value = std::bit_cast<float>(high << 16 | low);
      double next =
          high == 0x7f7f ? 0x1p128 : floatFromBf16(uint16_t(high + 1));
      uint16_t wanted =
          nearer(value, uint16_t(high), floatFromBf16(uint16_t(high)),
                 uint16_t(high + 1), next);
      ASSERT_EQ(bf16FromFloat(value), wanted) << value;
      ASSERT_EQ(bf16FromFloat(-value), wanted | 0x8000) << -value;
    }
}

TEST(DType, Bf16KeepsEveryValue) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = floatFromBf16(uint16_t(bits));
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(floatFromBf16(bf16FromFloat(value))));
    else
      ASSERT_EQ(bf16FromFloat(value), bits);
  }
  // A NaN whose upper fraction bits are zero must not become infinite.
  EXPECT_TRUE(std::isnan(
      floatFromBf16(bf16FromFloat(std::bit_cast<float>(0x7f800001u)))));
}

TEST(DType, HalfKeepsEveryValue) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = floatFromHalf(uint16_t(bits));
    if ((bits & 0x7fff) > 0x7c00)
      ASSERT_TRUE(std::isnan(value) &&
                  std::isnan(floatFromHalf(halfFromFloat(value))));
    else
      ASSERT_EQ(halfFromFloat(value), bits) << value;
  }
  EXPECT_EQ(floatFromHalf(0x3c00), 1.0f);
  EXPECT_EQ(floatFromHalf(0x0001), 0x1p-24f);
  EXPECT_EQ(floatFromHalf(0x7bff), 65504.0f);
}

// Every half with the points around and at the middle to its neighbour.
TEST(DType, HalfRoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    double low = floatFromHalf(uint16_t(bits));
    double high = bits == 0x7bff ? 65536.0 : floatFromHalf(uint16_t(bits + 1));
    auto middle = float((low + high) / 2);
    for (float value : {float(low), std::nextafter(middle, 0.0f), middle,
                        std::nextafter(middle, 1e9f)}) {
      uint16_t wanted =
          nearer(value, uint16_t(bits), low, uint16_t(bits + 1), high);
      ASSERT_EQ(halfFromFloat(value), wanted) << value;
      ASSERT_EQ(halfFromFloat(-value), wanted | 0x8000) << -value;
    }
  }
  EXPECT_EQ(halfFromFloat(1e30f), 0x7c00);
  EXPECT_EQ(halfFromFloat(-INFINITY), 0xfc00);
  EXPECT_EQ(halfFromFloat(1e-30f), 0);
}
