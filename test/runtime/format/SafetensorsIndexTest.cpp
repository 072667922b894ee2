// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index of shards: what it says, and what it must not say (B10, B11 of the
// fault catalogue).

#include "runtime/format/SafetensorsIndex.h"
#include "test/runtime/TempFolder.h"

using namespace k3;
using namespace k3::test;

namespace {

Status parse(const std::string &json, SafetensorsIndex &out) {
  return parseSafetensorsIndex(
      {reinterpret_cast<const uint8_t *>(json.data()), json.size()}, out);
}

Status parse(const std::string &json) {
  SafetensorsIndex index;
  return parse(json, index);
}

std::string map(const std::string &entries) {
  return "{\"metadata\":{\"total_size\":12.5,\"x\":[{}]},\"weight_map\":{" +
         entries + "}}";
}

} // namespace

TEST(SafetensorsIndex, ReadsPlaces) {
  SafetensorsIndex index;
  Status status =
      parse(map("\"b\":\"m-2.safetensors\",\"a\":\"m-1.safetensors\","
                "\"c\":\"m-2.safetensors\""),
            index);
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(index.shards,
            (std::vector<std::string>{"m-1.safetensors", "m-2.safetensors"}));
  ASSERT_EQ(index.tensors.size(), 3u);
  EXPECT_EQ(index.tensors[0].tensor, "b");
  EXPECT_EQ(index.tensors[0].shard, 1u);
  EXPECT_EQ(index.tensors[1].shard, 0u);
  EXPECT_TRUE(parse(map("")).ok());
}

TEST(SafetensorsIndex, ShardsStayBeneathTheFolder) {
  for (const char *path :
       {"../../etc/passwd", "/etc/passwd", "..", ".", "", "a/../b", "./a",
        "a//b", "a/", "/", "a/..", "x\\u0000"})
    expectError(parse(map("\"w\":\"" + std::string(path) + "\"")), 122,
                "shard path leaves the model folder");
  EXPECT_TRUE(parse(map("\"w\":\"sub/a\"")).ok());
  EXPECT_TRUE(parse(map("\"w\":\"..a\"")).ok());
}

TEST(SafetensorsIndex, Duplicates) {
  expectError(parse(map("\"w\":\"a\",\"w\":\"b\"")), 123,
              "tensor 'w' appears twice in weight_map");
  expectError(parse("{\"weight_map\":{},\"weight_map\":{}}"), 123,
              "'weight_map' appears twice");
}

TEST(SafetensorsIndex, WrongStructure) {
  expectError(parse(""), 120, "index is empty");
  expectError(parse("{\"weight_map\":{\"a\"}}"), 120, "index is not JSON");
  expectError(parse("[]"), 121, "index is an array (wanted an object)");
  expectError(parse("7"), 121, "index is a number");
  expectError(parse("{}"), 121, "'weight_map' is missing");
  expectError(parse("{\"x\":{\"weight_map\":{}}}"), 121,
              "'weight_map' is missing");
  expectError(parse("{\"weight_map\":[]}"), 121,
              "'weight_map' is an array (wanted an object)");
  expectError(parse("{\"weight_map\":3}"), 121, "'weight_map' is a number");
  expectError(parse(map("\"w\":1")), 121,
              "weight_map: shard of 'w' is a number (wanted a string)");
  expectError(parse(map("\"w\":{}")), 121, "shard of 'w' is an object");
  expectError(parse(map("\"w\":[]")), 121, "shard of 'w' is an array");
  expectError(parse(map("\"w\":null")), 121, "shard of 'w' is null");
  std::string deep;
  for (int i = 0; i < 10000; ++i)
    deep += "{\"a\":";
  expectError(parse(deep), 121, "index is nested more than 8 deep");
}

TEST(SafetensorsIndex, TooManyShards) {
  std::string entries;
  for (int i = 0; i <= 10000; ++i)
    entries += (i ? ",\"w" : "\"w") + std::to_string(i) + "\":\"s" +
               std::to_string(i) + "\"";
  expectError(parse(map(entries)), 121, "more than 10000 shards");
}
