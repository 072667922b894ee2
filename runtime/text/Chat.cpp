// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages are written as events: open, text, close.

#include "runtime/text/Chat.h"

#include "runtime/text/ToolArguments.h"

#include <algorithm>

using namespace k3;
using namespace k3::text;

namespace {

using Attributes = std::vector<std::pair<const char *, std::string>>;

std::string escapeAttribute(std::string_view value) {
  std::string result;
  for (char c : value) {
    if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

class ChatWriter {
public:
  ChatWriter(const Tokenizer &tokenizer, std::vector<int32_t> &ids)
      : tokenizer(tokenizer), ids(ids) {}

  Status findMarkers() {
    K3_TRY(tokenizer.findSpecial("<|open|>", openId));
    K3_TRY(tokenizer.findSpecial("<|close|>", closeId));
    K3_TRY(tokenizer.findSpecial("<|sep|>", sepId));
    return tokenizer.findSpecial("<|end_of_msg|>", endId);
  }

  Status open(const char *name, const Attributes &attributes = {}) {
    ids.push_back(openId);
    K3_TRY(text(name));
    for (const auto &[key, value] : attributes) {
      K3_TRY(text(std::string(" ") + key));
      K3_TRY(text("=\""));
      K3_TRY(text(escapeAttribute(value)));
      K3_TRY(text("\""));
    }
    ids.push_back(sepId);
    return {};
  }

  Status text(std::string_view segment) {
    return tokenizer.encode(segment, ids);
  }

  Status close(const char *name) {
    ids.push_back(closeId);
    K3_TRY(text(name));
    ids.push_back(sepId);
    return {};
  }

  Status element(const char *name, const Attributes &attributes,
                 std::string_view content) {
    K3_TRY(open(name, attributes));
    K3_TRY(text(content));
    return close(name);
  }

  Status message(const Message &message);

private:
  Status assistant(const Message &message);
  Status call(const ToolCall &call, size_t index);

  const Tokenizer &tokenizer;
  std::vector<int32_t> &ids;
  int32_t openId = 0, closeId = 0, sepId = 0, endId = 0;
};

Status ChatWriter::call(const ToolCall &call, size_t index) {
  K3_TRY(open("call", {{"tool", call.tool}, {"index", std::to_string(index)}}));
  std::vector<ToolArgument> arguments;
  if (readToolArguments(call.arguments, arguments)) {
    for (const ToolArgument &argument : arguments)
      K3_TRY(element("argument",
                     {{"key", argument.key}, {"type", argument.type}},
                     argument.value));
  } else {
    K3_TRY(element("json", {{"type", "object"}}, call.arguments));
  }
  return close("call");
}

Status ChatWriter::assistant(const Message &message) {
  if (message.thinking)
    K3_TRY(element("think", {}, *message.thinking));
  if (!message.content.empty() || message.calls.empty())
    K3_TRY(element("response", {}, message.content));
  if (message.calls.empty())
    return {};
  K3_TRY(open("tools"));
  for (size_t i = 0; i < message.calls.size(); ++i)
    K3_TRY(call(message.calls[i], i + 1));
  return close("tools");
}

Status ChatWriter::message(const Message &message) {
  static constexpr const char *roles[] = {"system", "user", "assistant",
                                          "tool"};
  Attributes attributes = {{"role", roles[int(message.role)]}};
  if (!message.type.empty())
    attributes.push_back({"type", message.type});
  if (message.role == Message::Role::Tool) {
    attributes.push_back({"tool", message.tool});
    attributes.push_back({"index", std::to_string(message.index)});
  }
  K3_TRY(open("message", attributes));
  if (message.role == Message::Role::Assistant)
    K3_TRY(assistant(message));
  else
    K3_TRY(text(message.content));
  K3_TRY(close("message"));
  ids.push_back(endId);
  return {};
}

Status checkMessage(const Message &message) {
  using Role = Message::Role;
  const char *wrong = nullptr;
  if (message.role != Role::System && !message.type.empty())
    wrong = "only a system message has a type";
  else if (message.role != Role::Assistant &&
           (message.thinking || !message.calls.empty()))
    wrong = "only an assistant message has thoughts and calls";
  else if (message.role == Role::Tool &&
           (message.tool.empty() || message.index < 1))
    wrong = "a tool message needs its tool and the index of its call";
  return wrong ? Status::error(Code::BadInput, 711, wrong) : Status();
}

} // namespace

Status text::encodeChat(const Tokenizer &tokenizer,
                        std::span<const Message> messages,
                        const ChatOptions &options, std::vector<int32_t> &ids) {
  ChatWriter writer(tokenizer, ids);
  K3_TRY(writer.findMarkers());
  std::vector<const Message *> order;
  for (size_t i = 0; i < messages.size(); ++i) {
    K3_TRY(checkMessage(messages[i]).in("message " + std::to_string(i)));
    order.push_back(&messages[i]);
  }
  auto isTool = [](const Message *m) { return m->role == Message::Role::Tool; };
  for (auto at = order.begin(); at != order.end();) {
    auto first = std::find_if(at, order.end(), isTool);
    at = std::find_if_not(first, order.end(), isTool);
    // Equal indices stay in the order given.
    std::sort(first, at, [](const Message *a, const Message *b) {
      return a->index != b->index ? a->index < b->index : a < b;
    });
  }
  for (const Message *message : order)
    K3_TRY(writer.message(*message));
  if (!options.answer)
    return {};
  K3_TRY(writer.open("message", {{"role", "assistant"}}));
  return writer.open(options.thinking ? "think" : "response");
}
