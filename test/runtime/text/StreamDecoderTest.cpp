// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Characters that come in pieces.

#include "runtime/text/StreamDecoder.h"

#include <gtest/gtest.h>

using k3::text::StreamDecoder;

TEST(StreamDecoder, HoldsBackUnfinishedCharacters) {
  std::string text = "a\u00e9\u4f60\U0001f642z", shown;
  StreamDecoder decoder;
  for (char c : text) {
    std::string part = decoder.push({&c, 1});
    // A part is whole characters: it never starts inside of one.
    if (!part.empty())
      EXPECT_NE(uint8_t(part[0]) & 0xc0, 0x80);
    shown += part;
  }
  EXPECT_EQ(shown, text);
  EXPECT_EQ(decoder.finish(), "");
}

TEST(StreamDecoder, KeepsBytesThatAreNotUtf8) {
  // Lone continuation, overlong forms, a surrogate, beyond U+10FFFF, no lead.
  for (std::string bytes : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xff\xfe",
                            "\xe4\xbd"
                            "a",
                            "\xf0\x9f\xf0\x9f\x99\x82"}) {
    StreamDecoder decoder;
    std::string shown;
    for (char c : bytes)
      shown += decoder.push({&c, 1});
    EXPECT_EQ(shown + decoder.finish(), bytes);
  }
}

TEST(StreamDecoder, GivesBackWhatWasHeldAtTheEnd) {
  StreamDecoder decoder;
  EXPECT_EQ(decoder.push("a\xf0\x9f\x99"), "a");
  EXPECT_EQ(decoder.finish(), "\xf0\x9f\x99");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(StreamDecoder, DoesNotWaitForWhatCannotCome) {
  StreamDecoder decoder;
  EXPECT_EQ(decoder.push("\xed\xa0"), "\xed\xa0");
  EXPECT_EQ(decoder.push("\xf4\x8f"), "");
  EXPECT_EQ(decoder.push("\xbf\xbf"), "\xf4\x8f\xbf\xbf");
}
