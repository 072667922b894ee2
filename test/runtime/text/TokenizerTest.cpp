// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ids against those of tiktoken 0.14 with the same ranks and pattern.

#include "runtime/text/Tokenizer.h"
#include "runtime/text/BytePairs.h"
#include "test/runtime/TempFolder.h"

#include <chrono>
#include <nlohmann/json.hpp>

using namespace k3;
using namespace k3::text;
using namespace k3::test;
using nlohmann::json;

namespace {

std::span<const uint8_t> bytesOf(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

json readCases() {
  return json::parse(readBytes(K3_TEST_DATA "/tokenizer/cases.json"));
}

class TokenizerCases : public ::testing::Test {
protected:
  void SetUp() override {
    cases = readCases();
    json config;
    for (auto &[content, id] : cases["special_tokens"].items())
      config["added_tokens_decoder"][std::to_string(id.get<int>())] = {
          {"content", content}};
    std::string ranks = readBytes(K3_TEST_DATA "/tokenizer/tiktoken.model");
    std::string text = config.dump();
    Status status = Tokenizer::parse(bytesOf(ranks), bytesOf(text), tokenizer);
    ASSERT_TRUE(status.ok()) << status.render();
  }

  std::vector<int32_t> encode(const std::string &text) {
    std::vector<int32_t> ids;
    Status status = tokenizer.encode(text, ids);
    EXPECT_TRUE(status.ok()) << status.render();
    return ids;
  }

  json cases;
  Tokenizer tokenizer;
};

std::string fromHex(const std::string &hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(char(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

} // namespace

TEST_F(TokenizerCases, OrdinaryTextGivesTheReferenceIds) {
  EXPECT_EQ(cases["n_ranks"], tokenizer.ranks().size());
  EXPECT_GE(cases["ordinary"].size(), 20u);
  for (const json &one : cases["ordinary"]) {
    std::string text = one["text"];
    std::vector<int32_t> ids = encode(text);
    EXPECT_EQ(ids, one["ids"].get<std::vector<int32_t>>()) << text;
    std::string back;
    ASSERT_TRUE(tokenizer.decode(ids, back).ok());
    EXPECT_EQ(back, text);
  }
}

TEST_F(TokenizerCases, SpecialStringsInTextStayOrdinary) {
  for (const json &one : cases["with_special"]) {
    EXPECT_EQ(encode(one["text"]),
              one["ids_ordinary"].get<std::vector<int32_t>>());
    std::string back;
    ASSERT_TRUE(
        tokenizer.decode(one["ids"].get<std::vector<int32_t>>(), back).ok());
    EXPECT_EQ(back, one["text"].get<std::string>());
  }
}

TEST_F(TokenizerCases, BytesThatAreNotUtf8AreOnePiece) {
  for (const json &one : cases["single_piece_bytes"]) {
    std::string bytes = fromHex(one["utf8_hex"]);
    std::vector<int32_t> ids;
    encodePiece(tokenizer.ranks(), bytes, ids);
    EXPECT_EQ(ids, one["ids"].get<std::vector<int32_t>>());
    std::string back;
    ASSERT_TRUE(tokenizer.decode(encode(bytes), back).ok());
    EXPECT_EQ(back, bytes);
  }
}

TEST_F(TokenizerCases, UnknownIdsAndTokensAreRefused) {
  std::string bytes;
  expectError(tokenizer.decode(-1, bytes), 707, "token -1 is not in");
  expectError(tokenizer.decode(583, bytes), 707, "token 583 is not in");
  int32_t id;
  expectError(tokenizer.findSpecial("<|none|>", id), 706, "'<|none|>'");
}

TEST_F(TokenizerCases, LongPiecesTakeLinearithmicTime) {
  // 24,000 letters are one piece; quadratic merging would take minutes.
  std::string text;
  for (int i = 0; i < 24'000; ++i)
    text.push_back(char('a' + i * i % 26));
  auto start = std::chrono::steady_clock::now();
  std::string back;
  ASSERT_TRUE(tokenizer.decode(encode(text), back).ok());
  EXPECT_EQ(back, text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(TokenizerCases, LongRunsOfEveryKindComeBack) {
  for (std::string unit : {" ", "\n", "A", "a", "1", "!", "\u4f60", "\u0301",
                           "A\u0301", " a", "\xff", "\u3000\r\n", "'s"}) {
    std::string text, back;
    for (int i = 0; i < 60'000; ++i)
      text += unit;
    ASSERT_TRUE(tokenizer.decode(encode(text), back).ok());
    EXPECT_TRUE(back == text) << unit;
  }
}

TEST(Tokenizer, ReadsAModelFolder) {
  Tokenizer tokenizer;
  Status status = Tokenizer::open(K3_TEST_MODELS "/k3-tiny", tokenizer);
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(tokenizer.ranks().size(), 256);
  EXPECT_EQ(tokenizer.specialTokens().all().size(), 64u);
  EXPECT_TRUE(tokenizer.isSpecial(256));
  EXPECT_FALSE(tokenizer.isSpecial(255));
  std::vector<int32_t> ids;
  ASSERT_TRUE(tokenizer.encode("In the\xc3\xa9", ids).ok());
  EXPECT_EQ(ids,
            (std::vector<int32_t>{73, 110, 32, 116, 104, 101, 0xc3, 0xa9}));
}

TEST(Tokenizer, RefusesFoldersWithoutItsFiles) {
  TempFolder folder;
  Tokenizer tokenizer;
  Status status = Tokenizer::open(folder.path, tokenizer);
  EXPECT_EQ(status.code(), Code::Io);
  EXPECT_NE(status.text().find("tiktoken.model"), std::string::npos);
  EXPECT_EQ(Tokenizer::open(folder / "none", tokenizer).code(), Code::Io);
}

TEST(Tokenizer, NamesTheFileThatIsWrong) {
  TempFolder folder;
  writeBytes(folder / "tiktoken.model", "x\n");
  writeBytes(folder / "tokenizer_config.json", "{}");
  Tokenizer tokenizer;
  expectError(Tokenizer::open(folder.path, tokenizer), 701,
              "tiktoken.model: line 1: is 'x'");
}
