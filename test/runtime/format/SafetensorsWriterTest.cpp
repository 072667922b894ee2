// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written files are read again, and equal tensors give equal bytes.

#include "runtime/format/SafetensorsWriter.h"
#include "runtime/format/SafetensorsFile.h"
#include "test/runtime/TempFolder.h"

using namespace k3;
using namespace k3::test;
namespace fs = std::filesystem;

namespace {

struct SafetensorsWriter : testing::Test {
  std::vector<uint8_t> four = {1, 2, 3, 4}, two = {5, 6};
  std::vector<TensorBytes> tensors = {{"b", "F32", {1}, four},
                                      {"a\"\\\n", "BF16", {1, 1}, two},
                                      {"none", "F64", {0, 3}, {}}};
  TempFolder folder;
};

} // namespace

TEST_F(SafetensorsWriter, ReadsBack) {
  std::string path = folder / "t.safetensors";
  Status status = writeSafetensors(path, tensors, {{"k", "v\x01"}});
  ASSERT_TRUE(status.ok()) << status.render();
  SafetensorsFile file;
  status = SafetensorsFile::open(path, file);
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(file.header().metadata.at("k"), "v\x01");
  ASSERT_EQ(file.header().tensors.size(), 3u);
  for (const TensorBytes &tensor : tensors) {
    const SafetensorsTensor *found = file.find(tensor.name);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->dtype, tensor.dtype);
    EXPECT_EQ(found->shape, tensor.shape);
    std::vector<uint8_t> bytes(found->bytes());
    ASSERT_TRUE(file.read(*found, 0, bytes).ok());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), tensor.bytes.begin(),
                           tensor.bytes.end()));
  }
  EXPECT_EQ(file.find("other"), nullptr);
  std::vector<uint8_t> much(5);
  expectError(file.read(*file.find("b"), 0, much), 690, "lies outside of 'b'");
  expectError(file.read(*file.find("b"), UINT64_MAX, four), 690, "outside");
}

TEST_F(SafetensorsWriter, OrderDoesNotMatter) {
  std::string one = folder / "1", two = folder / "2";
  ASSERT_TRUE(writeSafetensors(one, tensors, {}).ok());
  std::swap(tensors[0], tensors[2]);
  ASSERT_TRUE(writeSafetensors(two, tensors, {}).ok());
  EXPECT_EQ(readBytes(one), readBytes(two));
  std::string header;
  ASSERT_TRUE(makeSafetensorsHeader(tensors, {}, header).ok());
  EXPECT_EQ(header.size() % 8, 0u);
  EXPECT_EQ(readBytes(one).substr(0, header.size()), header);
}

TEST_F(SafetensorsWriter, Misuse) {
  std::string path = folder / "t";
  auto write = [&](const TensorBytes &tensor) {
    return writeSafetensors(path, {&tensor, 1}, {});
  };
  expectError(write({"a", "F32", {2}, four}), 113,
              "tensor 'a': F32 [2] with 4 bytes cannot be written");
  expectError(write({"a", "F33", {1}, four}), 113, "cannot be written");
  expectError(write({"\xff", "F32", {1}, four}), 113, "is not UTF-8 text");
  expectError(write({"__metadata__", "F32", {1}, four}), 113, "cannot be");
  expectError(write({"a", "F32", {-1}, four}), 113, "cannot be written");
  tensors[2].name = "b";
  expectError(writeSafetensors(path, tensors, {}), 113,
              "tensor 'b' is given twice");
  expectError(writeSafetensors(path, {}, {{"k", "\xff"}}), 113, "not UTF-8");
  EXPECT_TRUE(folder.list().empty());
}

// Any flipped bit in the header is refused or gives another right header.
TEST_F(SafetensorsWriter, FlippedBitsAreHarmless) {
  constexpr uint64_t dataBytes = 6;
  std::string header;
  ASSERT_TRUE(makeSafetensorsHeader(tensors, {{"k", "v"}}, header).ok());
  for (size_t bit = 0; bit < header.size() * 8; ++bit) {
    header[bit / 8] ^= char(1 << bit % 8);
    std::span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t *>(header.data()), header.size());
    uint64_t length = 0;
    SafetensorsHeader parsed;
    Status status = readHeaderLength(bytes, header.size() + dataBytes, length);
    if (status.ok() && length > header.size() - 8)
      length = header.size() - 8;
    if (status.ok())
      status =
          parseSafetensorsHeader(bytes.subspan(8, length), dataBytes, parsed);
    for (const SafetensorsTensor &tensor : parsed.tensors)
      EXPECT_TRUE(tensor.begin <= tensor.end && tensor.end <= dataBytes);
    EXPECT_TRUE(status.ok() ||
                (status.number() >= 101 && status.number() <= 112))
        << status.render();
    header[bit / 8] ^= char(1 << bit % 8);
  }
}

TEST_F(SafetensorsWriter, EveryTruncationIsRefused) {
  std::string path = folder / "t";
  ASSERT_TRUE(writeSafetensors(path, tensors, {{"k", "v"}}).ok());
  for (size_t length = readBytes(path).size(); length-- > 0;) {
    fs::resize_file(path, length);
    SafetensorsFile file;
    EXPECT_FALSE(SafetensorsFile::open(path, file).ok()) << length;
  }
}
