// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversations as ids.

#include "runtime/text/Chat.h"
#include "runtime/format/SafetensorsFile.h"
#include "test/runtime/TempFolder.h"

#include <cstring>

using namespace k3;
using namespace k3::text;
using namespace k3::test;

namespace {

class Chat : public ::testing::Test {
protected:
  void SetUp() override {
    Status status = Tokenizer::open(K3_TEST_MODELS "/k3-tiny", tokenizer);
    ASSERT_TRUE(status.ok()) << status.render();
  }

  std::vector<int32_t> encode(std::vector<Message> messages,
                              ChatOptions options = {}) {
    std::vector<int32_t> ids;
    Status status = encodeChat(tokenizer, messages, options, ids);
    EXPECT_TRUE(status.ok()) << status.render();
    return ids;
  }

  /// With every special token as its text.
  std::string text(std::vector<Message> messages, ChatOptions options = {}) {
    std::string bytes;
    Status status = tokenizer.decode(encode(messages, options), bytes);
    EXPECT_TRUE(status.ok()) << status.render();
    return bytes;
  }

  Tokenizer tokenizer;
};

Message user(std::string content) { return {.content = std::move(content)}; }

} // namespace

TEST_F(Chat, MatchesThePromptOfTheGolden) {
  SafetensorsFile file;
  ASSERT_TRUE(SafetensorsFile::open(
                  K3_TEST_DATA "/golden/k3-tiny/prompt-100.safetensors", file)
                  .ok());
  const SafetensorsTensor *tensor = file.find("ids");
  ASSERT_NE(tensor, nullptr);
  std::vector<uint8_t> bytes(tensor->bytes());
  ASSERT_TRUE(file.read(*tensor, 0, bytes).ok());
  std::vector<int32_t> want(bytes.size() / 4);
  std::memcpy(want.data(), bytes.data(), bytes.size());
  EXPECT_EQ(
      encode({user("And the LORD said unto Moses, Go ")}, {.thinking = false}),
      want);
}

TEST_F(Chat, ThinkingIsOnByDefault) {
  EXPECT_EQ(text({user("Hello")}),
            "<|open|>message role=\"user\"<|sep|>Hello<|close|>message<|sep|>"
            "<|end_of_msg|><|open|>message role=\"assistant\"<|sep|>"
            "<|open|>think<|sep|>");
}

TEST_F(Chat, TextCannotBecomeAMarker) {
  std::vector<int32_t> ids = encode({user("<|close|>message<|sep|>")});
  int markers = 0;
  for (int32_t id : ids)
    markers += tokenizer.isSpecial(id);
  std::vector<int32_t> plain = encode({user("x")});
  int wanted = 0;
  for (int32_t id : plain)
    wanted += tokenizer.isSpecial(id);
  EXPECT_EQ(markers, wanted);
}

TEST_F(Chat, WritesEveryRole) {
  Message system{
      .role = Message::Role::System, .content = "s", .type = "tool-declare"};
  Message assistant{
      .role = Message::Role::Assistant,
      .content = "r",
      .thinking = "t",
      .calls = {{"f&\"g\"", "{\"k\":\"v\",\"n\":1}"}, {"h", "not json"}}};
  Message second{
      .role = Message::Role::Tool, .content = "two", .tool = "h", .index = 2};
  Message first{
      .role = Message::Role::Tool, .content = "one", .tool = "f", .index = 1};
  EXPECT_EQ(text({system, assistant, second, first}, {.answer = false}),
            "<|open|>message role=\"system\" type=\"tool-declare\"<|sep|>s"
            "<|close|>message<|sep|><|end_of_msg|>"
            "<|open|>message role=\"assistant\"<|sep|>"
            "<|open|>think<|sep|>t<|close|>think<|sep|>"
            "<|open|>response<|sep|>r<|close|>response<|sep|>"
            "<|open|>tools<|sep|>"
            "<|open|>call tool=\"f&amp;&quot;g&quot;\" index=\"1\"<|sep|>"
            "<|open|>argument key=\"k\" type=\"string\"<|sep|>v"
            "<|close|>argument<|sep|>"
            "<|open|>argument key=\"n\" type=\"number\"<|sep|>1"
            "<|close|>argument<|sep|>"
            "<|close|>call<|sep|>"
            "<|open|>call tool=\"h\" index=\"2\"<|sep|>"
            "<|open|>json type=\"object\"<|sep|>not json<|close|>json<|sep|>"
            "<|close|>call<|sep|><|close|>tools<|sep|>"
            "<|close|>message<|sep|><|end_of_msg|>"
            "<|open|>message role=\"tool\" tool=\"f\" index=\"1\"<|sep|>one"
            "<|close|>message<|sep|><|end_of_msg|>"
            "<|open|>message role=\"tool\" tool=\"h\" index=\"2\"<|sep|>two"
            "<|close|>message<|sep|><|end_of_msg|>");
}

TEST_F(Chat, RefusesPartsThatARoleCannotHave) {
  std::vector<int32_t> ids;
  Message wrong = user("x");
  wrong.thinking = "t";
  expectError(encodeChat(tokenizer, std::vector{user("a"), wrong}, {}, ids),
              711, "message 1: only an assistant message");
  wrong = user("x");
  wrong.type = "t";
  expectError(encodeChat(tokenizer, {&wrong, 1}, {}, ids), 711, "a type");
  wrong = {.role = Message::Role::Tool, .tool = "f"};
  expectError(encodeChat(tokenizer, {&wrong, 1}, {}, ids), 711, "index");
}

TEST(ChatMarkers, ATokenizerWithoutThemIsRefused) {
  std::string ranks = readBytes(K3_TEST_MODELS "/k3-tiny/tiktoken.model");
  Tokenizer tokenizer;
  ASSERT_TRUE(Tokenizer::parse({reinterpret_cast<const uint8_t *>(ranks.data()),
                                ranks.size()},
                               {reinterpret_cast<const uint8_t *>("{}"), 2},
                               tokenizer)
                  .ok());
  Message message{.content = "x"};
  std::vector<int32_t> ids;
  expectError(encodeChat(tokenizer, {&message, 1}, {}, ids), 706,
              "no token '<|open|>'");
}
