// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One fault of a header a test (B1 to B7 and B15 of the fault catalogue).

#include "runtime/format/SafetensorsHeader.h"
#include "test/runtime/TempFolder.h"

#include <chrono>
#include <cstring>

using namespace k3;
using namespace k3::test;

namespace {

std::span<const uint8_t> span(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

Status parse(const std::string &json, uint64_t dataBytes) {
  SafetensorsHeader header;
  return parseSafetensorsHeader(span(json), dataBytes, header);
}

/// The entry of one tensor.
std::string entry(const std::string &name, const std::string &dtype,
                  const std::string &shape, const std::string &offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

Status length(uint64_t header, uint64_t file) {
  std::vector<uint8_t> first(8);
  std::memcpy(first.data(), &header, sizeof(header));
  first.resize(std::min<uint64_t>(file, 8));
  uint64_t out = 0;
  return readHeaderLength(first, file, out);
}

} // namespace

TEST(SafetensorsHeader, ReadsTensorsSortedByPlace) {
  SafetensorsHeader header;
  std::string json = "{\"__metadata__\":{\"format\":\"pt\"}," +
                     entry("b", "BF16", "[2,3]", "[16,28]") + "," +
                     entry("a\\u00e9", "F32", "[4]", "[0,16]") + "}   ";
  Status status = parseSafetensorsHeader(span(json), 28, header);
  ASSERT_TRUE(status.ok()) << status.render();
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.tensors[0].name, "a\xc3\xa9");
  EXPECT_EQ(header.tensors[0].dtype, "F32");
  EXPECT_EQ(header.tensors[1].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(header.tensors[1].begin, 16u);
  EXPECT_EQ(header.tensors[1].end, 28u);
  EXPECT_EQ(header.metadata.at("format"), "pt");
}

TEST(SafetensorsHeader, NoTensorsAtAll) {
  EXPECT_TRUE(parse("{}", 0).ok());
  EXPECT_TRUE(parse("{\"__metadata__\":{}}", 0).ok());
  expectError(parse("{}", 4), 108, "4 bytes follow the last tensor");
}

TEST(SafetensorsHeader, Lengths) {
  expectError(length(0, 7), 101,
              "file has 7 bytes (a safetensors file has at "
              "least 8)");
  expectError(length(100, 50), 102,
              "header of 100 bytes exceeds the file of 50 bytes");
  expectError(length(UINT64_MAX, 50), 102, "header of 18446744073709551615");
  expectError(length(100'000'001, 200'000'000), 103,
              "header of 100000001 bytes is too large (at most 100000000)");
  EXPECT_TRUE(length(42, 50).ok());
}

TEST(SafetensorsHeader, OtherKindsOfFiles) {
  uint64_t out = 0;
  std::string pointer = "version https://git-lfs.github.com/spec/v1\noid";
  expectError(readHeaderLength(span(pointer), 130, out), 112,
              "is a git-lfs pointer (wanted safetensors)\nhelp: run git lfs "
              "pull");
  std::string zip = "PK\x03\x04 and more";
  expectError(readHeaderLength(span(zip), 1000, out), 112, "is a zip archive");
}

TEST(SafetensorsHeader, NotJson) {
  expectError(parse("", 0), 104, "header is empty");
  expectError(parse("{\n \"a\": x}", 0), 104,
              "header is not JSON (line 2, column 7)");
  expectError(parse("{} {}", 0), 104, "header is not JSON (line 1, column 4)");
  expectError(parse("{\"a\":1", 0), 105, "tensor 'a': unexpected a number");
  expectError(parse("{", 0), 104, "is not JSON");
  expectError(parse("{\"a\":NaN}", 0), 104, "is not JSON");
  expectError(parse("\xef\xbb\xbf{}", 0), 104, "byte order mark");
  expectError(parse(std::string("{}\0", 3), 0), 104,
              "header holds a zero byte (line 1, column 3)");
}

TEST(SafetensorsHeader, NotUtf8) {
  expectError(parse("{\"a\xff\":1}", 0), 104,
              "header is not UTF-8 (line 1, column 4)");
  expectError(parse("{\"\\ud800\":1}", 0), 104, "is not JSON");
  expectError(parse("{\"a\\u0000\":1}", 0), 104, "holds a zero character");
}

TEST(SafetensorsHeader, NestedTooDeep) {
  std::string deep(10000, '[');
  expectError(parse(deep, 0), 105, "header: unexpected an array");
  expectError(parse("{\"a\":" + deep, 0), 105, "unexpected an array");
  expectError(parse("{\"a\":{\"shape\":{", 0), 105, "unexpected an object");
  expectError(parse("{\"__metadata__\":{\"a\":{", 0), 105,
              "unexpected an object");
}

TEST(SafetensorsHeader, TooManyTensorsAreRefusedQuickly) {
  std::string json = "{";
  for (int i = 0; i < 1'000'000; ++i)
    json += entry("t" + std::to_string(i), "U8", "[0]", "[0,0]") + ",";
  auto start = std::chrono::steady_clock::now();
  expectError(parse(json, 0), 111, "header has more than 500000 tensors");
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  // A second on a free machine; sanitizers and neighbours take their part.
  EXPECT_LT(took.count(), 10.0);
}

TEST(SafetensorsHeader, WrongStructure) {
  expectError(parse("[]", 0), 105,
              "header: unexpected an array (wanted an "
              "object)");
  expectError(parse("3", 0), 105, "header: unexpected a number");
  expectError(parse("{\"a\":null}", 0), 105, "tensor 'a': unexpected null");
  expectError(parse("{\"a\":{\"dtype\":1}}", 0), 105,
              "tensor 'a': unexpected a number (wanted a string as dtype)");
  expectError(parse("{\"a\":{\"shape\":\"x\"}}", 0), 105,
              "unexpected a string (wanted an array)");
  expectError(parse("{\"a\":{\"shape\":[true]}}", 0), 105, "unexpected true");
  expectError(parse("{\"a\":{\"shape\":[[1]]}}", 0), 105,
              "unexpected an array");
  expectError(parse("{\"a\":{\"strides\":[1]}}", 0), 105,
              "tensor 'a': unknown field 'strides'");
  expectError(parse("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 0), 105,
              "tensor 'a': field 'data_offsets' is missing");
  expectError(parse("{\"a\":{}}", 0), 105, "field 'dtype' is missing");
  expectError(parse("{\"__metadata__\":{\"a\":1}}", 0), 105,
              "metadata of the header: unexpected a number (wanted a string)");
  expectError(parse("{\"__metadata__\":[]}", 0), 105, "unexpected an array");
}

TEST(SafetensorsHeader, Duplicates) {
  std::string a = entry("q_proj", "U8", "[1]", "[0,1]");
  expectError(parse("{" + a + "," + a + "}", 1), 106,
              "tensor 'q_proj' appears twice in the header");
  expectError(parse("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 0), 106,
              "tensor 'a': field 'dtype' appears twice");
  expectError(parse("{\"__metadata__\":{},\"__metadata__\":{}}", 0), 106,
              "'__metadata__' appears twice");
  expectError(parse("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0), 106,
              "metadata key 'k' appears twice");
}

TEST(SafetensorsHeader, Overlap) {
  expectError(parse("{" + entry("a", "F32", "[4]", "[0,16]") + "," +
                        entry("b", "F32", "[4]", "[8,24]") + "}",
                    24),
              107, "tensor 'b': data_offsets [8, 24) overlap 'a' [0, 16)");
}

TEST(SafetensorsHeader, HolesAndEnds) {
  expectError(parse("{" + entry("a", "F32", "[1]", "[4,8]") + "}", 8), 108,
              "tensor 'a': data_offsets [4, 8) leave a hole of 4 bytes");
  expectError(parse("{" + entry("a", "F32", "[1]", "[0,4]") + "}", 8), 108,
              "4 bytes follow the last tensor");
  expectError(parse("{" + entry("a", "F32", "[2]", "[0,8]") + "}", 4), 108,
              "data_offsets [0, 8) lie outside the 4 bytes of data");
}

TEST(SafetensorsHeader, Offsets) {
  auto offsets = [](const std::string &text) {
    return parse("{" + entry("a", "F32", "[1]", text) + "}", 4);
  };
  EXPECT_TRUE(offsets("[0,4]").ok());
  expectError(offsets("[4,0]"), 108,
              "tensor 'a': data_offsets [4, 0) end before they begin");
  expectError(offsets("[-4,0]"), 108,
              "tensor 'a': data_offsets holds -4, which is negative");
  expectError(offsets("[-0,4]"), 108, "which is negative");
  expectError(offsets("[0,4.0]"), 108, "holds 4.0, which is not whole");
  expectError(offsets("[0,4e0]"), 108, "holds 4e0, which is not whole");
  expectError(offsets("[0,18446744073709551616]"), 108,
              "holds 18446744073709551616, which is too large");
  expectError(offsets("[0,18446744073709551615]"), 108, "which is too large");
  expectError(offsets("[0,9223372036854775808]"), 108, "which is too large");
  expectError(offsets("[0]"), 108, "has 1 numbers (wanted 2)");
  expectError(offsets("[0,4,8]"), 108, "has 3 numbers (wanted 2)");
}

TEST(SafetensorsHeader, ShapeAndSize) {
  auto shape = [](const std::string &text, const std::string &dtype) {
    return parse("{" + entry("a", dtype, text, "[0,16]") + "}", 16);
  };
  EXPECT_TRUE(shape("[2,2]", "F32").ok());
  expectError(shape("[3,2]", "F32"), 109,
              "tensor 'a': shape [3, 2] of F32 needs 24 bytes, data_offsets "
              "[0, 16) hold 16");
  expectError(shape("[1099511627776,1099511627776]", "F16"), 109,
              "shape [1099511627776, 1099511627776] of F16 overflows");
  expectError(shape("[4611686018427387904]", "F32"), 109, "overflows");
  expectError(shape("[-1]", "F32"), 109, "shape holds -1, which is negative");
  expectError(shape("[1.5]", "F32"), 109, "holds 1.5, which is not whole");
  expectError(shape("[18446744073709551617]", "F32"), 109, "too large");
  std::string ones = "[1";
  for (int i = 0; i < 64; ++i)
    ones += ",1";
  expectError(shape(ones + "]", "F32"), 111, "rank is above 64");
}

TEST(SafetensorsHeader, ElementTypes) {
  auto dtype = [](const std::string &name) {
    return parse("{" + entry("k_proj", name, "[8]", "[0,8]") + "}", 8);
  };
  EXPECT_TRUE(dtype("U8").ok());
  EXPECT_TRUE(dtype("F8_E4M3").ok());
  EXPECT_TRUE(dtype("BOOL").ok());
  expectError(dtype("F4"), 110,
              "dtype 'F4' is not supported for 'k_proj' "
              "(wanted F32, BF16");
  expectError(dtype("bf16"), 110, "dtype 'bf16' is not supported");
  expectError(dtype(""), 110, "dtype '' is not supported");
  expectError(dtype(std::string(10000, 'F')), 110, "is not supported");
}

TEST(SafetensorsHeader, TensorsWithoutElements) {
  std::string json = "{" + entry("a", "F32", "[0,4]", "[0,0]") + "," +
                     entry("b", "U8", "[2]", "[0,2]") + "," +
                     entry("c", "F32", "[3,0]", "[2,2]") + "}";
  EXPECT_TRUE(parse(json, 2).ok());
  expectError(parse("{" + entry("a", "F32", "[0]", "[1,1]") + "," +
                        entry("b", "U8", "[2]", "[0,2]") + "}",
                    2),
              107, "tensor 'a': data_offsets [1, 1) overlap 'b'");
}

// No cut of a right header is accepted.
TEST(SafetensorsHeader, EveryTruncationIsRefused) {
  std::string json = "{\"__metadata__\":{\"format\":\"pt\"}," +
                     entry("a", "F32", "[4]", "[0,16]") + "}";
  for (size_t i = 0; i < json.size(); ++i)
    EXPECT_FALSE(parse(json.substr(0, i), 16).ok()) << i;
}

// A header like that of one of 96 shards of the full model.
TEST(SafetensorsHeader, ManyTensorsAreReadQuickly) {
  std::string json = "{";
  for (int i = 0; i < 5200; ++i) {
    std::string begin = std::to_string(i * 64),
                end = std::to_string(i * 64 + 64);
    json += (i ? "," : "") +
            entry("language_model.model.layers.42.block_sparse_moe.experts." +
                      std::to_string(i) + ".w1.weight_packed",
                  "U8", "[8,8]", "[" + begin + "," + end + "]");
  }
  json += "}";
  auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(parse(json, 5200 * 64).ok());
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", int(took.count() * 1e3));
  EXPECT_LT(took.count(), 1.0);
}
