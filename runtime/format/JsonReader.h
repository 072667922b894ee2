// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON as a stream of events, with bounds on its depth and no exceptions.

#ifndef K3_RUNTIME_FORMAT_JSONREADER_H
#define K3_RUNTIME_FORMAT_JSONREADER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace k3 {

/// Receives the events of one text. A failure ends the reading. Repeated keys
/// are not noticed here.
class JsonVisitor {
public:
  virtual ~JsonVisitor() = default;

  virtual Status beginObject() = 0;
  virtual Status endObject() = 0;
  virtual Status beginArray() = 0;
  virtual Status endArray() = 0;
  virtual Status key(std::string &text) = 0;
  virtual Status string(std::string &text) = 0;
  virtual Status number(uint64_t value) = 0;
  /// A number that is not a whole one from 0 to 2^64 - 1. `kind` is "negative",
  /// "too large" or "not whole".
  virtual Status otherNumber(const std::string &text, const char *kind) = 0;
  /// null, true or false.
  virtual Status word(const char *text) = 0;
};

/// Numbers of the errors that the reader itself raises.
struct JsonErrors {
  int notJson, tooDeep;
};

constexpr int mostJsonDepth = 8;

/// Reads a whole text: UTF-8 without a byte order mark or zero byte. `what`
/// names it: "header".
Status readJson(std::span<const uint8_t> json, const char *what,
                JsonErrors errors, JsonVisitor &visitor);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_JSONREADER_H
