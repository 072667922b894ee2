// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a tool call, one by one.

#ifndef K3_RUNTIME_TEXT_TOOLARGUMENTS_H
#define K3_RUNTIME_TEXT_TOOLARGUMENTS_H

#include <string>
#include <string_view>
#include <vector>

namespace k3::text {

struct ToolArgument {
  std::string key;
  const char
      *type; ///< "string", "number", "boolean", "null", "array", "object"
  std::string value; ///< a string as it is, all else as JSON
};

/// Reads a JSON object's members in their order. False when the text is none,
/// or is nested deeper than 64.
bool readToolArguments(std::string_view json, std::vector<ToolArgument> &out);

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_TOOLARGUMENTS_H
