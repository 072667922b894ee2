// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots come, go, fork and never mix.

#include "runtime/state/SlotPool.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace k3;
using namespace k3::state;

namespace {

const std::vector<StateSpec> specs = {{"s", K3_F32, {2, 3}},
                                      {"cache", K3_BF16, {-1, 5}}};

std::unique_ptr<SlotPool> makePool(int64_t slots, int64_t capacity) {
  std::unique_ptr<SlotPool> pool;
  EXPECT_TRUE(SlotPool::create(specs, slots, capacity, pool).ok());
  return pool;
}

TEST(SlotPool, givesTheLowestFreeSlot) {
  auto pool = makePool(3, 8);
  int32_t a, b, c, d;
  ASSERT_TRUE(pool->acquire(a).ok());
  ASSERT_TRUE(pool->acquire(b).ok());
  ASSERT_TRUE(pool->acquire(c).ok());
  EXPECT_EQ(a, 0);
  EXPECT_EQ(c, 2);
  Status full = pool->acquire(d);
  EXPECT_EQ(full.code(), Code::Resources);
  EXPECT_EQ(full.text(), "all 3 slots are in use");
  ASSERT_TRUE(pool->release(b).ok());
  ASSERT_TRUE(pool->acquire(d).ok());
  EXPECT_EQ(d, 1);
}

TEST(SlotPool, refusesSlotsThatAreNotInUse) {
  auto pool = makePool(2, 8);
  EXPECT_EQ(pool->release(0).text(), "slot 0 is not in use");
  EXPECT_EQ(pool->reset(2).text(),
            "slot 2 lies outside the pool (wanted 0 to 1)");
  EXPECT_EQ(pool->checkAlive(-1).text(),
            "slot -1 lies outside the pool (wanted 0 to 1)");
}

TEST(SlotPool, laysSlotsOneAfterTheOther) {
  auto pool = makePool(2, 8);
  EXPECT_EQ(pool->poolBytes(0), 2 * 24);
  EXPECT_EQ(pool->poolBytes(1), 2 * 8 * 10);
  auto first = pool->content(1, 0, 3), second = pool->content(1, 1, 8);
  EXPECT_EQ(first.size(), 30u);
  EXPECT_EQ(second.size(), 80u);
  EXPECT_EQ(second.data() - first.data(), 80);
  EXPECT_EQ(pool->contentShape(1, 3), (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(pool->contentShape(0, 3), (std::vector<int64_t>{2, 3}));
}

TEST(SlotPool, forksWhatTheSlotHolds) {
  auto pool = makePool(2, 8);
  int32_t slot, copy;
  ASSERT_TRUE(pool->acquire(slot).ok());
  std::memset(pool->content(0, slot, 3).data(), 1, 24);
  std::memset(pool->content(1, slot, 3).data(), 2, 30);
  pool->setLength(slot, 3);
  ASSERT_TRUE(pool->fork(slot, copy).ok());
  EXPECT_EQ(pool->length(copy), 3);
  EXPECT_EQ(std::memcmp(pool->content(0, copy, 3).data(),
                        pool->content(0, slot, 3).data(), 24),
            0);
  EXPECT_EQ(std::memcmp(pool->content(1, copy, 3).data(),
                        pool->content(1, slot, 3).data(), 30),
            0);
  ASSERT_TRUE(pool->reset(slot).ok());
  EXPECT_EQ(pool->length(slot), 0);
  EXPECT_EQ(pool->length(copy), 3);
}

TEST(SlotPool, refusesSizesThatOverflowOrDoNotFit) {
  std::unique_ptr<SlotPool> pool;
  std::vector<StateSpec> huge = {{"s", K3_F32, {int64_t(1) << 40, 1 << 20}}};
  EXPECT_EQ(SlotPool::create(huge, 64, 8, pool).text(),
            "state 's': the size of 64 slots overflows");
  huge[0].shape[1] = int64_t(1) << 40;
  EXPECT_EQ(SlotPool::create(huge, 1, 8, pool).text(),
            "state 's': the size of a slot overflows");
  huge[0].shape = {int64_t(1) << 58};
  Status status = SlotPool::create(huge, 1, 8, pool);
  EXPECT_EQ(status.code(), Code::Resources);
  EXPECT_EQ(status.text(), "state 's' of 1 slots: cannot allocate 1.0 EiB");
}

} // namespace
