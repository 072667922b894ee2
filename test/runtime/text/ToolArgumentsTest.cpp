// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool call's arguments.

#include "runtime/text/ToolArguments.h"

#include <gtest/gtest.h>

using namespace k3::text;

TEST(ToolArguments, KeepsOrderAndTypes) {
  std::vector<ToolArgument> got;
  ASSERT_TRUE(readToolArguments(
      R"({"z": "a \"b\"", "y": 1.5, "x": true, "w": null, "v": [1, 2],
          "u": {"b": 1, "a": 2}})",
      got));
  ASSERT_EQ(got.size(), 6u);
  const char *wanted[][3] = {
      {"z", "string", "a \"b\""}, {"y", "number", "1.5"},
      {"x", "boolean", "true"},   {"w", "null", "null"},
      {"v", "array", "[1,2]"},    {"u", "object", "{\"b\":1,\"a\":2}"}};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(got[i].key, wanted[i][0]);
    EXPECT_STREQ(got[i].type, wanted[i][1]);
    EXPECT_EQ(got[i].value, wanted[i][2]);
  }
}

TEST(ToolArguments, RefusesWhatIsNoObject) {
  std::vector<ToolArgument> got;
  for (const char *text : {"", "[]", "1", "{", "{\"a\":}", "{} x", "\"a\""})
    EXPECT_FALSE(readToolArguments(text, got)) << text;
  std::string deep =
      "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_FALSE(readToolArguments(deep, got));
}
