// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where long text is cut.

#include "runtime/text/TextCuts.h"

#include <gtest/gtest.h>
#include <string>

using namespace k3::text;

static std::vector<size_t> sizes(const std::string &text) {
  std::vector<size_t> result;
  for (std::string_view part : cutText(text))
    result.push_back(part.size());
  return result;
}

TEST(TextCuts, ShortTextIsOnePart) {
  EXPECT_TRUE(cutText("").empty());
  EXPECT_EQ(sizes("a b"), (std::vector<size_t>{3}));
  EXPECT_EQ(sizes(std::string(25'000, 'a')), (std::vector<size_t>{25'000}));
}

TEST(TextCuts, CutsLongRuns) {
  EXPECT_EQ(sizes(std::string(25'001, 'a')), (std::vector<size_t>{25'000, 1}));
  EXPECT_EQ(sizes(std::string(60'000, ' ')),
            (std::vector<size_t>{25'000, 25'000, 10'000}));
  // A run starts anew where the class changes; the part does not.
  EXPECT_EQ(sizes("ab" + std::string(25'001, '\n') + "c"),
            (std::vector<size_t>{25'002, 2}));
}

TEST(TextCuts, CountsCharactersNotBytes) {
  std::string text;
  for (int i = 0; i < 25'001; ++i)
    text += "\u4f60";
  EXPECT_EQ(sizes(text), (std::vector<size_t>{75'000, 3}));
}

TEST(TextCuts, CutsEvery400000Characters) {
  std::string text;
  while (text.size() < 800'001)
    text += "a ";
  text.resize(800'001);
  EXPECT_EQ(sizes(text), (std::vector<size_t>{400'000, 400'000, 1}));
  // A run does not go on over such a cut.
  std::string run = text.substr(0, 399'998) + std::string(25'003, 'x');
  EXPECT_EQ(sizes(run), (std::vector<size_t>{400'000, 25'000, 1}));
}

TEST(TextCuts, SeparatesWhatIsNotUtf8) {
  std::vector<Stretch> got = separateUtf8("a\u00e9\xff\x80z\xe4\xbd");
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0].bytes, "a\u00e9");
  EXPECT_TRUE(got[0].isUtf8);
  EXPECT_EQ(got[1].bytes, "\xff\x80");
  EXPECT_FALSE(got[1].isUtf8);
  EXPECT_EQ(got[2].bytes, "z");
  EXPECT_EQ(got[3].bytes, "\xe4\xbd");
  EXPECT_FALSE(got[3].isUtf8);
}
