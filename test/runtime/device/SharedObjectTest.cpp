// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading code from memory.

#include "runtime/device/cpu/SharedObject.h"
#include "runtime/device/cpu/Kernel.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

using namespace k3;
using namespace k3::cpu;

namespace {

std::vector<uint8_t> bytesOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SharedObject, runsAnExportedFunction) {
  SharedObject object;
  ASSERT_TRUE(SharedObject::load(bytesOf(K3_TEST_KERNELS), object).ok());
  auto countUp = KernelFn(object.find("count_up"));
  ASSERT_TRUE(countUp);
  float counter = 41;
  void *buffers[] = {&counter};
  countUp(0, buffers, nullptr, nullptr);
  EXPECT_EQ(counter, 42);
  EXPECT_EQ(object.find("no_such_kernel"), nullptr);
}

TEST(SharedObject, keepsTwoObjectsApart) {
  SharedObject first, second;
  ASSERT_TRUE(SharedObject::load(bytesOf(K3_TEST_KERNELS), first).ok());
  ASSERT_TRUE(SharedObject::load(bytesOf(K3_TEST_KERNELS), second).ok());
  EXPECT_NE(first.find("count_up"), second.find("count_up"));
}

TEST(SharedObject, refusesWhatIsNotASharedObject) {
  SharedObject object;
  std::vector<uint8_t> bytes = bytesOf(K3_TEST_KERNELS);
  auto textOf = [&](std::vector<uint8_t> damaged) {
    Status status = SharedObject::load(damaged, object);
    EXPECT_EQ(status.number(), 421);
    return status.text();
  };
  EXPECT_EQ(textOf({}),
            "cannot load the code object: it is shorter than an ELF header");
  std::vector<uint8_t> other = bytes;
  other[0] = 'M';
  EXPECT_EQ(textOf(other), "cannot load the code object: it is not an ELF "
                           "file");
  other = bytes;
  other[18] = 183; // AArch64
  EXPECT_EQ(textOf(other), "cannot load the code object: it is not for "
                           "x86-64");
  other = bytes;
  other[16] = 1; // relocatable
  EXPECT_EQ(textOf(other), "cannot load the code object: it is not a shared "
                           "object");
}

} // namespace
