// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Well-formed sequences and the ones next to them.

#include "runtime/format/Utf8.h"

#include <gtest/gtest.h>
#include <string>

using namespace k3;

TEST(Utf8, AcceptsWellFormedText) {
  for (const char *text :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
        "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "long enough for eight bytes at once \xe4\xb8\xad"})
    EXPECT_TRUE(isUtf8(text)) << text;
}

TEST(Utf8, RefusesWhatIsNot) {
  for (const char *text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41",
        "\xe0\x9f\xbf", "\xe0\xa0", "\xed\xa0\x80", "\xed\xbf\xbf",
        "\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "\xfe"})
    EXPECT_FALSE(isUtf8(text)) << text;
}

TEST(Utf8, FindsTheFirstBadByte) {
  for (size_t length = 0; length < 40; ++length)
    EXPECT_EQ(findNonUtf8(std::string(length, 'x') + "\xff"
                                                     "more"),
              length);
}
