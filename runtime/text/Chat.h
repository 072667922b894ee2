// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversations in K3's form, XTML: every element is
// <|open|>NAME key="value"<|sep|> ... <|close|>NAME<|sep|>.

#ifndef K3_RUNTIME_TEXT_CHAT_H
#define K3_RUNTIME_TEXT_CHAT_H

#include "runtime/text/Tokenizer.h"

#include <optional>

namespace k3::text {

struct ToolCall {
  std::string tool;
  /// A JSON object; anything else is passed on as it is.
  std::string arguments;
};

struct Message {
  enum class Role { System, User, Assistant, Tool };

  Role role = Role::User;
  std::string content = {};
  std::string type = {};                    ///< of a system message, or empty
  std::optional<std::string> thinking = {}; ///< of an assistant message
  std::vector<ToolCall> calls = {};         ///< of an assistant message
  std::string tool = {};                    ///< of a tool message
  int32_t index = 0; ///< of a tool message: its call, from 1
};

struct ChatOptions {
  /// Whether the answer begins with its thoughts or with the response.
  bool thinking = true;
  /// Whether the start of the assistant's answer follows the messages.
  bool answer = true;
};

/// Appends the ids of a conversation. Only markers are special tokens; text is
/// encoded segment by segment, so no text can become a marker and no token
/// crosses a segment. Tool messages in a row are put in the order of their
/// calls. There is no [BOS].
Status encodeChat(const Tokenizer &tokenizer, std::span<const Message> messages,
                  const ChatOptions &options, std::vector<int32_t> &ids);

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_CHAT_H
