// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every truncation and every flipped bit of a small artefact with code for a
// CPU and a GPU is refused.

#include "runtime/format/ArtefactReader.h"
#include "test/runtime/format/SmallArtefact.h"

#include <gtest/gtest.h>

using namespace k3;
using namespace k3::test;

namespace {

/// A refusal of the artefact family with a text.
void expectRefused(const Status &status, const std::string &what) {
  ASSERT_FALSE(status.ok()) << what << " was accepted";
  ASSERT_EQ(status.code(), Code::BadInput) << what;
  ASSERT_GE(status.number(), 301) << what;
  ASSERT_LE(status.number(), 312) << what;
  ASSERT_FALSE(status.text().empty()) << what;
}

} // namespace

TEST(ArtefactSweep, EveryTruncationIsRefused) {
  std::string bytes = gpuArtefact();
  ASSERT_TRUE(read(bytes).ok());
  for (size_t length = 0; length < bytes.size(); ++length)
    ASSERT_NO_FATAL_FAILURE(expectRefused(read(bytes.substr(0, length)),
                                          "length " + std::to_string(length)));
}

TEST(ArtefactSweep, EveryFlippedBitIsRefused) {
  std::string bytes = gpuArtefact();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= char(1 << bit % 8);
    ASSERT_NO_FATAL_FAILURE(
        expectRefused(read(bytes), "bit " + std::to_string(bit)));
    bytes[bit / 8] ^= char(1 << bit % 8);
  }
}

// The digests are recomputed, so what is looked at is the index itself: it may
// be another valid index, but reading it must not go wrong.
TEST(ArtefactSweep, EveryFlippedBitOfTheIndexIsHarmless) {
  std::string index = bytesOf(gpuIndex());
  size_t accepted = 0;
  for (size_t bit = 0; bit < index.size() * 8; ++bit) {
    index[bit / 8] ^= char(1 << bit % 8);
    Status status = read(gpuArtefactAround(index));
    if (status.ok())
      ++accepted;
    else
      ASSERT_NO_FATAL_FAILURE(
          expectRefused(status, "bit " + std::to_string(bit)));
    index[bit / 8] ^= char(1 << bit % 8);
  }
  EXPECT_LT(accepted, index.size() * 8);
}

TEST(ArtefactSweep, EveryTruncationOfTheIndexIsRefused) {
  std::string index = bytesOf(gpuIndex());
  size_t refused = 0;
  for (size_t length = 0; length < index.size(); ++length)
    refused += !read(gpuArtefactAround(index.substr(0, length))).ok();
  // The end may be padding.
  EXPECT_GE(refused + 8, index.size());
}
