// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nlohmann's parser, which keeps its own stack and so can be as deep as we
// let it.

#include "runtime/format/JsonReader.h"

#include "runtime/format/Utf8.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace k3;
using nlohmann::json;

namespace {

/// "line 3, column 14" of a byte.
std::string placeOf(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  std::string_view before = text.substr(0, at);
  size_t line = size_t(std::count(before.begin(), before.end(), '\n')) + 1;
  size_t start = before.rfind('\n');
  size_t column = start == std::string_view::npos ? at + 1 : at - start;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Hands events on, and keeps the first failure.
class Events {
public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  Events(JsonVisitor &visitor, const char *what, JsonErrors errors)
      : visitor(visitor), what(what), errors(errors) {}

  Status status;
  bool isSyntaxError = false;
  size_t position = 0;

  bool null() { return take(visitor.word("null")); }
  bool boolean(bool value) {
    return take(visitor.word(value ? "true" : "false"));
  }
  bool number_integer(number_integer_t value) {
    return take(visitor.otherNumber(std::to_string(value), "negative"));
  }
  bool number_unsigned(number_unsigned_t value) {
    return take(visitor.number(value));
  }
  bool number_float(number_float_t, const string_t &text) {
    bool isWhole = text.find_first_of(".eE") == std::string::npos;
    return take(visitor.otherNumber(text, text[0] == '-' ? "negative"
                                          : isWhole      ? "too large"
                                                         : "not whole"));
  }
  bool string(string_t &text) { return take(visitor.string(text)); }
  bool binary(binary_t &) { return false; }
  bool start_object(size_t) { return enter() && take(visitor.beginObject()); }
  bool end_object() { return leave() && take(visitor.endObject()); }
  bool start_array(size_t) { return enter() && take(visitor.beginArray()); }
  bool end_array() { return leave() && take(visitor.endArray()); }
  bool key(string_t &text) { return take(visitor.key(text)); }
  template <class Exception>
  bool parse_error(size_t at, const std::string &, const Exception &) {
    isSyntaxError = true;
    position = at > 0 ? at - 1 : 0;
    return false;
  }

private:
  bool take(Status result) {
    status = std::move(result);
    return status.ok();
  }
  bool enter() {
    if (++depth <= mostJsonDepth)
      return true;
    return take(Status::error(Code::BadInput, errors.tooDeep,
                              std::string(what) + " is nested more than " +
                                  std::to_string(mostJsonDepth) + " deep"));
  }
  bool leave() {
    --depth;
    return true;
  }

  JsonVisitor &visitor;
  const char *what;
  JsonErrors errors;
  int depth = 0;
};

} // namespace

Status k3::readJson(std::span<const uint8_t> bytes, const char *what,
                    JsonErrors errors, JsonVisitor &visitor) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  auto refuse = [&](const std::string &problem) {
    return Status::error(Code::BadInput, errors.notJson,
                         std::string(what) + " " + problem);
  };
  if (text.empty())
    return refuse("is empty (wanted a JSON object)");
  size_t bad = findNonUtf8(text);
  if (bad != text.size())
    return refuse("is not UTF-8 (" + placeOf(text, bad) + ")");
  // The parser would skip a mark, and end at a zero as if at the end.
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    return refuse("starts with a byte order mark (wanted a JSON object)");
  size_t zero = text.find('\0');
  if (zero != std::string_view::npos)
    return refuse("holds a zero byte (" + placeOf(text, zero) + ")");
  Events events(visitor, what, errors);
  bool parsed = json::sax_parse(text.begin(), text.end(), &events);
  K3_TRY(std::move(events.status));
  if (!parsed)
    return refuse("is not JSON (" + placeOf(text, events.position) + ")");
  return {};
}
