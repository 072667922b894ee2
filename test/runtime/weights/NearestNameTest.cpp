// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edit distances, and suggestions by them.

#include "runtime/weights/NearestName.h"

#include <gtest/gtest.h>
#include <string>

using namespace k3;

TEST(NearestName, EditDistance) {
  EXPECT_EQ(editDistance("", "", 5), 0u);
  EXPECT_EQ(editDistance("kitten", "sitting", 5), 3u);
  EXPECT_EQ(editDistance("abc", "", 5), 3u);
  EXPECT_EQ(editDistance("layers.1.q", "layers.12.q", 5), 1u);
  EXPECT_EQ(editDistance("abcdef", "uvwxyz", 3), 4u);
  EXPECT_EQ(editDistance("flaw", "lawn", 5), 2u);
}

TEST(NearestName, FindsTheClosest) {
  NearestName names({"mlp.up_proj", "mlp.down_proj", "attn.q_proj"});
  EXPECT_EQ(names.find("mlp.upp_proj"), "mlp.up_proj");
  EXPECT_EQ(names.find("attn.k_proj"), "attn.q_proj");
  EXPECT_EQ(names.find("something.else.altogether"), "");
}

TEST(NearestName, GivesUpAfterMuchWork) {
  std::vector<std::string> storage;
  for (int i = 0; i < 300000; ++i)
    storage.push_back("tensor." + std::to_string(1000000 + i));
  NearestName names({storage.begin(), storage.end()});
  for (int i = 0; i < 30; ++i)
    (void)names.find("nothing.like." + std::to_string(i));
  EXPECT_EQ(names.find("tensor.9999999"), "");
}
