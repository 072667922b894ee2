// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// {"added_tokens_decoder": {"<id>": {"content": "<text>", ...}}, ...}; all
// else is passed over.

#include "runtime/text/SpecialTokens.h"

#include "runtime/base/Escape.h"
#include "runtime/format/JsonReader.h"

#include <charconv>

using namespace k3;
using namespace k3::text;

namespace {

Status refuse(const std::string &what) {
  return Status::error(Code::BadInput, 705, "added_tokens_decoder: " + what);
}

class Decoder : public JsonVisitor {
public:
  explicit Decoder(int32_t ordinary) : ordinary(ordinary) {}

  std::vector<std::pair<int32_t, std::string>> tokens;

  Status beginObject() override {
    if (isContent)
      return other();
    if (++depth == 3)
      hasContent = false;
    return {};
  }
  Status endObject() override {
    if (isToken() && !hasContent)
      return refuse("token " + std::to_string(id) + " has no 'content'");
    if (depth == 2)
      isInside = false;
    --depth;
    return {};
  }
  Status beginArray() override {
    K3_TRY(other());
    ++depth;
    return {};
  }
  Status endArray() override {
    --depth;
    return {};
  }
  Status key(std::string &text) override {
    if (depth == 1)
      isInside = text == "added_tokens_decoder";
    else if (depth == 2 && isInside)
      return readId(text);
    isContent = isToken() && text == "content";
    return {};
  }
  Status string(std::string &text) override {
    if (!isContent)
      return other();
    isContent = false;
    if (hasContent || text.empty())
      return refuse("token " + std::to_string(id) +
                    " wants one 'content' that is not empty");
    hasContent = true;
    tokens.emplace_back(id, text);
    return {};
  }
  Status number(uint64_t) override { return other(); }
  Status otherNumber(const std::string &, const char *) override {
    return other();
  }
  Status word(const char *) override { return other(); }

private:
  bool isToken() const { return isInside && depth == 3; }

  Status readId(const std::string &text) {
    const char *last = text.data() + text.size();
    auto [end, error] = std::from_chars(text.data(), last, id);
    if (error != std::errc() || end != last || id < ordinary)
      return refuse(quote(text) + " is not an id (wanted " +
                    std::to_string(ordinary) + " to 2147483647)");
    return {};
  }

  /// A value that is not a token's text, where a token's text may be wanted.
  Status other() {
    if (isContent)
      return refuse("token " + std::to_string(id) + ": 'content' is no text");
    if (isInside && depth < 3)
      return refuse("holds a value that is not an object");
    return {};
  }

  int32_t ordinary, id = 0;
  int depth = 0;
  bool isInside = false, isContent = false, hasContent = false;
};

} // namespace

Status SpecialTokens::parse(std::span<const uint8_t> json, int32_t ordinary,
                            SpecialTokens &out) {
  Decoder decoder(ordinary);
  K3_TRY(readJson(json, "text", {704, 704}, decoder));
  SpecialTokens result;
  for (auto &[id, content] : decoder.tokens) {
    if (!result.contents.emplace(id, content).second)
      return refuse("id " + std::to_string(id) + " is given twice");
    if (!result.ids.emplace(content, id).second)
      return refuse("token " + quote(content) + " is given twice");
  }
  out = std::move(result);
  return {};
}

int32_t SpecialTokens::find(std::string_view content) const {
  auto at = ids.find(content);
  return at == ids.end() ? -1 : at->second;
}

const std::string *SpecialTokens::contentOf(int32_t id) const {
  auto at = contents.find(id);
  return at == contents.end() ? nullptr : &at->second;
}
