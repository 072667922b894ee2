// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nlohmann's parser keeps its own stack; writing a value recurses, so depth is
// bounded first.

#include "runtime/text/ToolArguments.h"

#include <nlohmann/json.hpp>

using namespace k3;
using namespace k3::text;
using nlohmann::ordered_json;

static constexpr int mostDepth = 64;

static const char *typeOf(const ordered_json &value) {
  if (value.is_string())
    return "string";
  if (value.is_boolean())
    return "boolean";
  if (value.is_null())
    return "null";
  if (value.is_array())
    return "array";
  return value.is_object() ? "object" : "number";
}

bool text::readToolArguments(std::string_view json,
                             std::vector<ToolArgument> &out) {
  out.clear();
  bool tooDeep = false;
  auto bound = [&](int depth, ordered_json::parse_event_t, ordered_json &) {
    tooDeep |= depth > mostDepth;
    return !tooDeep;
  };
  ordered_json object = ordered_json::parse(json.begin(), json.end(), bound,
                                            /*allow_exceptions=*/false);
  if (tooDeep || !object.is_object())
    return false;
  for (const auto &[key, value] : object.items())
    out.push_back({key, typeOf(value),
                   value.is_string() ? value.get<std::string>()
                                     : value.dump(-1, ' ', false)});
  return true;
}
