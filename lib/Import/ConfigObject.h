// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed access to a JSON object that remembers every missing key and the first
// wrong value, so that reading code has no error paths.

#ifndef K3_LIB_IMPORT_CONFIGOBJECT_H
#define K3_LIB_IMPORT_CONFIGOBJECT_H

#include "runtime/base/Status.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace k3 {

/// Numbers of docs/Errors.md.
enum ConfigError {
  ConfigSyntax = 201,
  ConfigMissing = 202,
  ConfigType = 203,
  ConfigRange = 204,
  ConfigUnsupported = 205,
};

class ConfigErrors {
public:
  explicit ConfigErrors(llvm::StringRef where) : where(where) {}

  void missing(const std::string &key);
  /// Kept when it is the first.
  void wrong(ConfigError number, const std::string &text);
  /// Checks `holds`, else remembers `text`.
  void require(bool holds, ConfigError number, const std::string &text) {
    if (!holds)
      wrong(number, text);
  }
  bool ok() const { return !failed && missingKeys.empty(); }
  Status take();

private:
  std::string where;
  std::vector<std::string> missingKeys;
  bool failed = false;
  Status first;
};

/// Largest size that one dimension of a model may have.
constexpr int64_t maxDimension = int64_t(1) << 24;

class ConfigObject {
public:
  ConfigObject(const llvm::json::Object &object, std::string prefix,
               ConfigErrors &errors)
      : object(object), prefix(std::move(prefix)), errors(errors) {}

  std::string path(llvm::StringRef key) const { return prefix + key.str(); }
  bool has(llvm::StringRef key) const;

  /// Null counts as absent in every getter.
  int64_t size(llvm::StringRef key, int64_t low = 1,
               int64_t high = maxDimension);
  std::optional<int64_t> optionalSize(llvm::StringRef key, int64_t low = 1,
                                      int64_t high = maxDimension);
  double number(llvm::StringRef key);
  std::optional<double> optionalNumber(llvm::StringRef key);
  bool flag(llvm::StringRef key);
  bool flag(llvm::StringRef key, bool otherwise);
  std::string text(llvm::StringRef key);
  std::string text(llvm::StringRef key, llvm::StringRef otherwise);
  llvm::SmallVector<int64_t> sizes(llvm::StringRef key);
  /// The token ids under a key: one number or a list, joined by commas.
  std::string tokenIds(llvm::StringRef key);
  const llvm::json::Object *child(llvm::StringRef key);
  const llvm::json::Object *optionalChild(llvm::StringRef key);

private:
  const llvm::json::Value *find(llvm::StringRef key) const;
  const llvm::json::Value *require(llvm::StringRef key);
  void wrongType(llvm::StringRef key, const char *wanted,
                 const llvm::json::Value &got);

  const llvm::json::Object &object;
  std::string prefix;
  ConfigErrors &errors;
};

/// Parses JSON text with a depth limit; the message has line and column.
Status parseConfigJson(llvm::StringRef text, llvm::StringRef where,
                       llvm::json::Value &value);

} // namespace k3

#endif // K3_LIB_IMPORT_CONFIGOBJECT_H
