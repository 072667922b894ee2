// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What messages look like, whatever is in them.

#include "runtime/base/Status.h"
#include "runtime/base/Escape.h"

#include <gtest/gtest.h>

using namespace k3;

TEST(Status, SuccessHasNoText) {
  Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), Code::Ok);
  EXPECT_TRUE(status.text().empty());
}

TEST(Status, RendersNumberTextAndHelp) {
  Status status =
      Status::error(Code::BadInput, 107, "what is wrong", "do this").in("file");
  EXPECT_EQ(status.render(),
            "error[K3-E0107]: file: what is wrong\nhelp: do this");
}

TEST(Status, ListsDetailsBelowTheFirstLine) {
  Status status = Status::error(Code::BadInput, 140, "two problems")
                      .with({"the first", "the\nsecond"});
  EXPECT_EQ(status.render(), "error[K3-E0140]: two problems\n"
                             "  the first\n  the\\x0asecond");
}

TEST(Status, HostileTextCannotDriveTheTerminal) {
  Status status = Status::error(Code::Io, 601, "a\x1b[2J\x9f\n\x7f", "\x07");
  EXPECT_EQ(status.render(),
            "error[K3-E0601]: a\\x1b[2J\\x9f\\x0a\\x7f\nhelp: \\x07");
}

TEST(Status, FirstLineIsShort) {
  for (size_t length : {150, 167, 168, 5000, 100000}) {
    std::string path(length, 'p');
    Status status =
        Status::error(Code::Io, 601, path + ": cannot open: no such file");
    std::string line = status.render();
    EXPECT_LE(line.size() + std::string("k3-compile: ").size(), 200u);
    EXPECT_EQ(line.substr(line.size() - 12), "no such file");
  }
}

TEST(Status, QuotedNamesAreShort) {
  EXPECT_EQ(quote("q_proj"), "'q_proj'");
  EXPECT_LE(quote(std::string(100000, '\n')).size(), 122u);
  std::string name = std::string(1000, 'a') + "end";
  EXPECT_EQ(quote(name).substr(118), "end'");
}
