// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples of FIPS 180.

#include "runtime/base/Sha256.h"

#include <gtest/gtest.h>

using namespace k3;

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb924"
                            "27ae41e4649b934ca495991b7852b855");
  Sha256 hash;
  hash.update("abc");
  EXPECT_EQ(hash.hex(), "ba7816bf8f01cfea414140de5dae2223"
                        "b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesDoNotMatter) {
  std::string text(1000, 'x');
  Sha256 whole, pieces;
  whole.update(text);
  for (size_t i = 0; i < text.size(); i += 7)
    pieces.update(std::string_view(text).substr(i, 7));
  EXPECT_EQ(whole.hex(), pieces.hex());
}
