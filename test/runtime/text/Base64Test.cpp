// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base64 is read strictly.

#include "runtime/text/Base64.h"

#include <gtest/gtest.h>

using k3::text::decodeBase64;

TEST(Base64, DecodesEveryPadding) {
  std::string out;
  EXPECT_TRUE(decodeBase64("", out));
  EXPECT_EQ(out, "");
  EXPECT_TRUE(decodeBase64("Zg==", out));
  EXPECT_EQ(out, "f");
  EXPECT_TRUE(decodeBase64("Zm8=", out));
  EXPECT_EQ(out, "fo");
  EXPECT_TRUE(decodeBase64("Zm9v", out));
  EXPECT_EQ(out, "foo");
  EXPECT_TRUE(decodeBase64("+/+/", out));
  EXPECT_EQ(out, "\xfb\xff\xbf");
}

TEST(Base64, RefusesWhatNoEncoderWrites) {
  std::string out;
  for (const char *text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====",
                           "Zg==Zg==", "Zm 9", "Zm-_", "=Zg="})
    EXPECT_FALSE(decodeBase64(text, out)) << text;
}
