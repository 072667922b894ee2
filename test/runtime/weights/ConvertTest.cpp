// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All conversions, on every value of the 16-bit types.

#include "runtime/weights/Convert.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace k3;

namespace {

float widen(DType dtype, uint16_t bits) {
  return dtype == DType::BF16 ? floatFromBf16(bits) : floatFromHalf(bits);
}

uint16_t narrow(DType dtype, float value) {
  return dtype == DType::BF16 ? bf16FromFloat(value) : halfFromFloat(value);
}

} // namespace

TEST(Convert, WhatIsConverted) {
  EXPECT_TRUE(canConvert(DType::I64, DType::I64));
  EXPECT_TRUE(canConvert(DType::F16, DType::BF16));
  EXPECT_FALSE(canConvert(DType::F64, DType::F32));
  EXPECT_FALSE(canConvert(DType::U8, DType::F32));
}

TEST(Convert, EveryValueOfSixteenBits) {
  std::vector<uint16_t> in(65536);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = uint16_t(i);
  auto *bytes = reinterpret_cast<const uint8_t *>(in.data());
  for (DType from : {DType::BF16, DType::F16}) {
    std::vector<float> wide(in.size());
    convert(from, bytes, DType::F32, reinterpret_cast<uint8_t *>(wide.data()),
            in.size());
    for (DType to : {DType::BF16, DType::F16}) {
      std::vector<uint16_t> out(in.size()), back(in.size());
      convert(from, bytes, to, reinterpret_cast<uint8_t *>(out.data()),
              in.size());
      convert(DType::F32, reinterpret_cast<const uint8_t *>(wide.data()), to,
              reinterpret_cast<uint8_t *>(back.data()), in.size());
      for (size_t i = 0; i < in.size(); ++i) {
        float value = widen(from, in[i]);
        if (!std::isnan(value))
          ASSERT_EQ(wide[i], value);
        ASSERT_EQ(out[i], from == to ? in[i] : narrow(to, value));
        ASSERT_EQ(back[i], narrow(to, wide[i]));
      }
    }
  }
}

TEST(Convert, NonfiniteIsCountedAndPlaced) {
  std::vector<float> floats = {0, 1e30f, NAN, -INFINITY, 5, NAN};
  auto *bytes = reinterpret_cast<const uint8_t *>(floats.data());
  Nonfinite found = findNonfinite(DType::F32, bytes, floats.size(), 100);
  EXPECT_EQ(found.nan, 2u);
  EXPECT_EQ(found.infinite, 1u);
  EXPECT_EQ(found.first, 102u);
  EXPECT_FALSE(findNonfinite(DType::F32, bytes, 2, 0).any());
  uint16_t halves[] = {0x7bff, 0x7c00, 0xfc01};
  found = findNonfinite(DType::F16, reinterpret_cast<uint8_t *>(halves), 3, 0);
  EXPECT_EQ(found.nan, 1u);
  EXPECT_EQ(found.infinite, 1u);
  EXPECT_EQ(found.first, 1u);
  uint16_t brains[] = {0x7f7f, 0xff80, 0x7f81};
  found = findNonfinite(DType::BF16, reinterpret_cast<uint8_t *>(brains), 3, 0);
  EXPECT_EQ(found.nan, 1u);
  EXPECT_EQ(found.infinite, 1u);
  double doubles[] = {1e308, INFINITY};
  found = findNonfinite(DType::F64, reinterpret_cast<uint8_t *>(doubles), 2, 0);
  EXPECT_EQ(found.infinite, 1u);
  int32_t ints[] = {-1, 0x7f800000};
  EXPECT_FALSE(
      findNonfinite(DType::I32, reinterpret_cast<uint8_t *>(ints), 2, 0).any());
  uint8_t scales[] = {0, 254, 255, 127};
  found = findNonfiniteScales(scales, 4, 10);
  EXPECT_EQ(found.nan, 1u);
  EXPECT_EQ(found.first, 12u);
}
