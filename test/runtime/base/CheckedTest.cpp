// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that do not fit are noticed.

#include "runtime/base/Checked.h"
#include "runtime/base/AlignedBuffer.h"

#include <gtest/gtest.h>
#include <vector>

using namespace k3;

TEST(Checked, ArithmeticNoticesOverflow) {
  uint64_t u = 0;
  EXPECT_TRUE(checkedAdd<uint64_t>(UINT64_MAX - 1, 1, u));
  EXPECT_EQ(u, UINT64_MAX);
  EXPECT_FALSE(checkedAdd<uint64_t>(UINT64_MAX, 1, u));
  EXPECT_FALSE(checkedSub<uint64_t>(1, 2, u));
  EXPECT_FALSE(checkedMul<uint64_t>(uint64_t(1) << 32, uint64_t(1) << 32, u));
  int64_t i = 0;
  EXPECT_FALSE(checkedMul<int64_t>(int64_t(1) << 32, int64_t(1) << 31, i));
  EXPECT_TRUE(checkedMul<int64_t>(-3, 4, i));
  EXPECT_EQ(i, -12);
}

TEST(Checked, ElementCount) {
  auto count = [](std::vector<int64_t> shape) {
    int64_t result = -1;
    return elementCount(shape, result) ? result : -1;
  };
  EXPECT_EQ(count({}), 1);
  EXPECT_EQ(count({2, 3, 4}), 24);
  EXPECT_EQ(count({0, 5}), 0);
  EXPECT_EQ(count({-1}), -1);
  EXPECT_EQ(count({int64_t(1) << 40, int64_t(1) << 40}), -1);
  // A zero does not hide the overflow.
  EXPECT_EQ(count({int64_t(1) << 40, int64_t(1) << 40, 0}), -1);
}

TEST(AlignedBuffer, IsAlignedAndRefusesWhatIsNotThere) {
  for (uint64_t bytes : {0, 1, 63, 64, 65, 4096}) {
    AlignedBuffer buffer;
    ASSERT_TRUE(AlignedBuffer::allocate(bytes, "x", buffer).ok());
    EXPECT_EQ(buffer.size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
  }
  AlignedBuffer buffer;
  for (uint64_t bytes : {UINT64_MAX, uint64_t(INT64_MAX)}) {
    Status status = AlignedBuffer::allocate(bytes, "weight 'w'", buffer);
    EXPECT_EQ(status.number(), 620);
    EXPECT_EQ(status.code(), Code::Resources);
    EXPECT_EQ(status.text().rfind("weight 'w' needs ", 0), 0u);
  }
}
