// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults of tokenizer_config.json.

#include "runtime/text/SpecialTokens.h"
#include "test/runtime/TempFolder.h"

using namespace k3;
using namespace k3::text;
using namespace k3::test;

namespace {

Status parse(const std::string &json, SpecialTokens &out) {
  return SpecialTokens::parse(
      {reinterpret_cast<const uint8_t *>(json.data()), json.size()}, 256, out);
}

void expectRefused(const std::string &tokens, const std::string &part) {
  SpecialTokens out;
  expectError(parse("{\"added_tokens_decoder\": " + tokens + "}", out), 705,
              part);
}

} // namespace

TEST(SpecialTokens, ReadsIdsAndContents) {
  SpecialTokens tokens;
  Status status = parse(R"({"a": [{"content": 1}], "added_tokens_decoder":
    {"256": {"special": true, "content": "[BOS]"}, "300": {"content": "<x>",
     "nested": {"content": 5}}}, "content": "no"})",
                        tokens);
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(tokens.all().size(), 2u);
  EXPECT_EQ(tokens.find("[BOS]"), 256);
  EXPECT_EQ(tokens.find("no"), -1);
  ASSERT_NE(tokens.contentOf(300), nullptr);
  EXPECT_EQ(*tokens.contentOf(300), "<x>");
  EXPECT_EQ(tokens.contentOf(257), nullptr);
}

TEST(SpecialTokens, RefusesWhatIsNotJson) {
  SpecialTokens tokens;
  expectError(parse("", tokens), 704, "");
  expectError(parse("{\"a\": ", tokens), 704, "");
  expectError(parse(std::string(100, '['), tokens), 704, "");
}

TEST(SpecialTokens, RefusesIdsThatAreNone) {
  expectRefused(R"({"255": {"content": "a"}})", "'255' is not an id");
  expectRefused(R"({"-1": {"content": "a"}})", "'-1' is not an id");
  expectRefused(R"({"x": {"content": "a"}})", "'x' is not an id");
  expectRefused(R"({"2147483648": {"content": "a"}})", "is not an id");
}

TEST(SpecialTokens, RefusesContentsThatAreNone) {
  expectRefused(R"({"256": {}})", "token 256 has no 'content'");
  expectRefused(R"({"256": {"content": ""}})", "not empty");
  expectRefused(R"({"256": {"content": 5}})", "'content' is no text");
  expectRefused(R"({"256": {"content": ["a"]}})", "'content' is no text");
  expectRefused(R"({"256": {"content": {"a": "b"}}})", "'content' is no text");
  expectRefused(R"({"256": "a"})", "not an object");
  expectRefused(R"(["a"])", "not an object");
  expectRefused(R"(null)", "not an object");
}

TEST(SpecialTokens, RefusesRepeats) {
  expectRefused(R"({"256": {"content": "a"}, "256": {"content": "b"}})",
                "id 256 is given twice");
  expectRefused(R"({"256": {"content": "a"}, "257": {"content": "a"}})",
                "token 'a' is given twice");
}
