// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles that are no longer, or never were, those of an object.

#include "runtime/run/Handles.h"

#include <gtest/gtest.h>

using namespace k3::run;

namespace {

using Ints = Handles<int, HandleKind::Model>;
using Others = Handles<int, HandleKind::Session>;

TEST(Handles, findsWhatWasAdded) {
  Ints handles;
  void *one = handles.add(std::make_shared<int>(1));
  void *two = handles.add(std::make_shared<int>(2));
  EXPECT_EQ(*handles.find(one), 1);
  EXPECT_EQ(*handles.find(two), 2);
}

TEST(Handles, forgetsWhatWasRemoved) {
  Ints handles;
  void *old = handles.add(std::make_shared<int>(1));
  EXPECT_TRUE(handles.remove(old));
  EXPECT_FALSE(handles.find(old));
  EXPECT_FALSE(handles.remove(old));
  void *fresh = handles.add(std::make_shared<int>(2));
  EXPECT_NE(fresh, old);
  EXPECT_FALSE(handles.find(old));
  EXPECT_EQ(*handles.find(fresh), 2);
}

TEST(Handles, refusesForeignPointers) {
  Ints ints;
  Others others;
  void *one = ints.add(std::make_shared<int>(1));
  void *other = others.add(std::make_shared<int>(1));
  EXPECT_FALSE(ints.find(other));
  EXPECT_TRUE(Others::hasKind(other));
  EXPECT_FALSE(ints.find(&ints));
  EXPECT_FALSE(ints.find(nullptr));
  EXPECT_FALSE(ints.find(reinterpret_cast<void *>(-1)));
  EXPECT_TRUE(ints.find(one));
}

} // namespace
