// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults of a tiktoken file, each with its code and line.

#include "runtime/text/RankTable.h"
#include "test/runtime/TempFolder.h"

using namespace k3;
using namespace k3::text;
using namespace k3::test;

namespace {

Status parse(const std::string &file, RankTable &out) {
  return RankTable::parse(
      {reinterpret_cast<const uint8_t *>(file.data()), file.size()}, out);
}

/// All single bytes, ranked as k3-tiny has them.
std::string singleBytes() {
  return readBytes(K3_TEST_MODELS "/k3-tiny/tiktoken.model");
}

void expectRefused(const std::string &file, int number,
                   const std::string &part) {
  RankTable table;
  expectError(parse(file, table), number, part);
}

} // namespace

TEST(RankTable, ReadsLinesInAnyOrderAndWithCarriageReturns) {
  RankTable table;
  Status status = parse("YWI= 256\r\n\n" + singleBytes(), table);
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(table.size(), 257);
  EXPECT_EQ(table.find("ab"), 256);
  EXPECT_EQ(table.find("a"), 'a');
  EXPECT_EQ(table.find("abc"), -1);
  EXPECT_EQ(table.bytesOf(256), "ab");
}

TEST(RankTable, RefusesLinesThatAreNotBase64AndRank) {
  std::string bytes = singleBytes();
  expectRefused(bytes + "YWI=256\n", 701, "line 257: is 'YWI=256'");
  expectRefused(bytes + "YW=I 256\n", 701, "line 257: 'YW=I' is not base64");
  expectRefused(bytes + " 256\n", 701, "is not base64 of a token");
  expectRefused(bytes + "YWI= x\n", 701, "'x' is not a rank");
  expectRefused(bytes + "YWI= -1\n", 701, "'-1' is not a rank");
  expectRefused(bytes + "YWI= 256 \n", 701, "'256 ' is not a rank");
  expectRefused(bytes + "YWI= 99999999999\n", 701, "is not a rank");
}

TEST(RankTable, RefusesHugeLines) {
  expectRefused(singleBytes() + std::string(mostRankLineBytes, 'A') + " 256\n",
                701, "has 65540 bytes (wanted at most 65536)");
}

TEST(RankTable, RefusesRepeatedRanksAndTokens) {
  std::string bytes = singleBytes();
  expectRefused(bytes + "YWI= 7\n", 702, "line 257: rank 7 is given twice");
  expectRefused(bytes + "YQ== 256\n", 702, "token 'a' is given twice");
}

TEST(RankTable, RefusesMissingRanksAndBytes) {
  std::string bytes = singleBytes();
  expectRefused("", 703, "no token for the single byte");
  expectRefused(bytes + "YWI= 257\n", 703, "rank 257 of 257 tokens");
  // The byte 0 makes room for a longer token of the same rank.
  expectRefused("AAA= 0\n" + bytes.substr(bytes.find('\n') + 1), 703,
                "no token for the single byte '\\x00'");
}

TEST(RankTable, EveryTruncationIsRefused) {
  std::string bytes = singleBytes();
  for (size_t size = 0; size + 1 < bytes.size(); ++size) {
    RankTable table;
    EXPECT_FALSE(parse(bytes.substr(0, size), table).ok()) << size;
  }
}
