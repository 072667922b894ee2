// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Case C10 and its relatives: each fault has its own text.

#include "runtime/run/Sequences.h"

#include <gtest/gtest.h>
#include <vector>

using namespace k3;
using namespace k3::run;

namespace {

using Ints = std::vector<int32_t>;

std::string cuText(const Ints &cu, int64_t tokens, const Ints &slots) {
  Sequences s;
  s.hasCuSeqlens = s.hasSlots = true;
  s.cuSeqlens = cu;
  s.slots = slots;
  s.tokens = tokens;
  Status status = checkCuSeqlens(s);
  EXPECT_EQ(status.number(), status.ok() ? 0 : 413);
  return status.text();
}

TEST(Sequences, acceptsEmptySequencesAnywhere) {
  EXPECT_EQ(cuText({0, 0, 1, 1, 3, 3}, 3, {0, 1, 2, 3, 4}), "");
  EXPECT_EQ(cuText({0}, 0, {}), "");
}

TEST(Sequences, refusesBadCuSeqlens) {
  EXPECT_EQ(cuText({}, 0, {}), "cu_seqlens is empty (wanted one entry more "
                               "than there are sequences)");
  EXPECT_EQ(cuText({1, 4}, 4, {0}), "cu_seqlens[0] = 1 (wanted 0)");
  EXPECT_EQ(cuText({0, 5, 12, 8}, 8, {0, 1, 2}),
            "cu_seqlens[3] = 8 < cu_seqlens[2] = 12");
  EXPECT_EQ(cuText({0, 5}, 6, {0}),
            "cu_seqlens[1] = 5 (wanted 6, the number of tokens)");
  EXPECT_EQ(cuText({0, 5}, 5, {0, 1}),
            "cu_seqlens has 2 entries for 2 sequences (wanted 3)");
  EXPECT_EQ(cuText({0, -1}, 0, {0}), "cu_seqlens[1] = -1 < cu_seqlens[0] = 0");
}

std::string slotsText(const Ints &slots, int64_t pool) {
  Sequences s;
  s.hasSlots = true;
  s.slots = slots;
  Status status = checkSlots(s, pool);
  EXPECT_EQ(status.number(), status.ok() ? 0 : 414);
  return status.text();
}

TEST(Sequences, acceptsPaddedRowsMoreThanOnce) {
  EXPECT_EQ(slotsText({3, -1, 1, -1}, 4), "");
}

TEST(Sequences, refusesBadSlots) {
  EXPECT_EQ(slotsText({4}, 4),
            "slots[0] = 4 lies outside the pool (wanted -1 to 3)");
  EXPECT_EQ(slotsText({0, -2}, 4),
            "slots[1] = -2 lies outside the pool (wanted -1 to 3)");
  EXPECT_EQ(slotsText({0, 2, 1, 2}, 4),
            "slots[3] = 2 is in use by another sequence of the call, "
            "slots[1]");
}

TEST(Sequences, refusesMoreTokensThanASlotHolds) {
  Ints cu = {0, 2, 10}, slots = {0, 1}, context = {5, 9};
  Sequences s;
  s.hasCuSeqlens = s.hasSlots = s.hasContextLens = true;
  s.cuSeqlens = cu;
  s.slots = slots;
  s.contextLens = context;
  EXPECT_TRUE(checkContext(s, 17).ok());
  EXPECT_TRUE(checkContext(s, -1).ok());
  Status status = checkContext(s, 16);
  EXPECT_EQ(status.code(), Code::Resources);
  EXPECT_EQ(status.text(), "sequence 1: 9 + 8 tokens exceed the slot's "
                           "capacity of 16");
  slots[1] = -1;
  EXPECT_TRUE(checkContext(s, 16).ok());
  context[0] = -3;
  EXPECT_EQ(checkContext(s, 16).text(), "context_lens[0] = -3 is negative");
}

TEST(Sequences, refusesTokensOutsideTheVocabulary) {
  Ints tokens = {0, 15, 16};
  EXPECT_TRUE(checkTokens(tokens, 17).ok());
  EXPECT_EQ(checkTokens(tokens, 16).text(),
            "tokens[2] = 16 lies outside the vocabulary (wanted 0 to 15)");
}

} // namespace
