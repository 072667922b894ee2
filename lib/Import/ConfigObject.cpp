// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed access to the JSON of a config file.

#include "ConfigObject.h"

#include "runtime/base/Escape.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace k3;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

void ConfigErrors::missing(const std::string &key) {
  missingKeys.push_back("'" + key + "'");
}

void ConfigErrors::wrong(ConfigError number, const std::string &text) {
  if (!failed)
    first = Status::error(Code::BadInput, number, where + ": " + text);
  failed = true;
}

Status ConfigErrors::take() {
  // A wrong value may only follow from a key that is missing.
  if (missingKeys.empty())
    return std::move(first);
  std::string what = missingKeys.size() == 1
                         ? "missing " + missingKeys.front()
                         : std::to_string(missingKeys.size()) + " missing keys";
  Status status =
      Status::error(Code::BadInput, ConfigMissing, where + ": " + what);
  if (missingKeys.size() > 1)
    return std::move(status).with(std::move(missingKeys));
  return status;
}

/// A value as a message shows it.
static std::string show(const json::Value &value) {
  constexpr size_t most = 48;
  std::string text = escaped(formatv("{0}", value).str());
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

const json::Value *ConfigObject::find(StringRef key) const {
  const json::Value *value = object.get(key);
  return value && value->kind() != json::Value::Null ? value : nullptr;
}

bool ConfigObject::has(StringRef key) const { return find(key); }

const json::Value *ConfigObject::require(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    errors.missing(path(key));
  return value;
}

void ConfigObject::wrongType(StringRef key, const char *wanted,
                             const json::Value &got) {
  errors.wrong(ConfigType, formatv("'{0}' has the wrong type (wanted {1}, got "
                                   "{2})",
                                   path(key), wanted, show(got)));
}

std::optional<int64_t> ConfigObject::optionalSize(StringRef key, int64_t low,
                                                  int64_t high) {
  const json::Value *value = find(key);
  if (!value)
    return std::nullopt;
  std::optional<int64_t> number = value->getAsInteger();
  if (!number) {
    wrongType(key, "an integer", *value);
    return low;
  }
  if (*number >= low && *number <= high)
    return number;
  errors.wrong(ConfigRange,
               formatv("'{0}' is out of range (wanted {1} to {2}, got {3})",
                       path(key), low, high, *number));
  return low;
}

int64_t ConfigObject::size(StringRef key, int64_t low, int64_t high) {
  return require(key) ? *optionalSize(key, low, high) : low;
}

std::optional<double> ConfigObject::optionalNumber(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    return std::nullopt;
  std::optional<double> number = value->getAsNumber();
  if (!number || !std::isfinite(*number)) {
    wrongType(key, "a finite number", *value);
    return 1.0;
  }
  return number;
}

double ConfigObject::number(StringRef key) {
  return require(key) ? *optionalNumber(key) : 1.0;
}

bool ConfigObject::flag(StringRef key, bool otherwise) {
  const json::Value *value = find(key);
  if (!value)
    return otherwise;
  std::optional<bool> boolean = value->getAsBoolean();
  if (!boolean)
    wrongType(key, "true or false", *value);
  return boolean.value_or(otherwise);
}

bool ConfigObject::flag(StringRef key) {
  return require(key) && flag(key, false);
}

std::string ConfigObject::text(StringRef key, StringRef otherwise) {
  const json::Value *value = find(key);
  if (!value)
    return otherwise.str();
  std::optional<StringRef> string = value->getAsString();
  if (!string)
    wrongType(key, "a string", *value);
  return string.value_or(otherwise).str();
}

std::string ConfigObject::text(StringRef key) {
  return require(key) ? text(key, "") : "";
}

llvm::SmallVector<int64_t> ConfigObject::sizes(StringRef key) {
  const json::Value *value = require(key);
  if (!value)
    return {};
  llvm::SmallVector<int64_t> numbers;
  const json::Array *array = value->getAsArray();
  if (array)
    for (const json::Value &element : *array)
      if (std::optional<int64_t> number = element.getAsInteger())
        numbers.push_back(*number);
  if (!array || numbers.size() != array->size())
    wrongType(key, "a list of integers", *value);
  return numbers;
}

std::string ConfigObject::tokenIds(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    return "";
  llvm::SmallVector<json::Value> ids;
  if (const json::Array *array = value->getAsArray())
    ids.assign(array->begin(), array->end());
  else
    ids.push_back(*value);
  std::string text;
  for (const json::Value &element : ids) {
    std::optional<int64_t> id = element.getAsInteger();
    if (!id || *id < 0 || *id > INT32_MAX) {
      wrongType(key, "a token id or a list of them", *value);
      return "";
    }
    text += (text.empty() ? "" : ",") + std::to_string(*id);
  }
  return text;
}

const json::Object *ConfigObject::optionalChild(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    return nullptr;
  const json::Object *child = value->getAsObject();
  if (!child)
    wrongType(key, "an object", *value);
  return child;
}

const json::Object *ConfigObject::child(StringRef key) {
  return require(key) ? optionalChild(key) : nullptr;
}

/// llvm::json recurses, so nesting is bounded before it sees the text.
static unsigned nestingDepth(StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      i += c == '\\';
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

Status k3::parseConfigJson(StringRef text, StringRef where,
                           json::Value &value) {
  constexpr unsigned maxDepth = 64;
  auto refuse = [&](const std::string &what) {
    return Status::error(Code::BadInput, ConfigSyntax,
                         where.str() + ": " + what);
  };
  if (text.empty())
    return refuse("file is empty (wanted a JSON object)");
  if (unsigned depth = nestingDepth(text); depth > maxDepth)
    return refuse(formatv("nested {0} deep (at most {1})", depth, maxDepth));
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return refuse("not JSON: " + llvm::toString(parsed.takeError()));
  value = std::move(*parsed);
  return {};
}
