// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines of tools that do not link LLVM, read by a table of flags.

#ifndef K3_TOOLS_SUPPORT_FLAGS_H
#define K3_TOOLS_SUPPORT_FLAGS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace k3::tools {

/// Reads `--name value`, `--name=value`, `--switch`, `--` and positional
/// arguments. Unknown flags, a flag given twice, and a missing or malformed
/// value are usage errors (exit code 2) that name the flag.
class Flags {
public:
  /// `synopsis` is the first line of the help: "k3-run ARTEFACT [flags]".
  explicit Flags(std::string synopsis) : synopsis(std::move(synopsis)) {}

  void text(const char *name, std::string *out, const char *help);
  void number(const char *name, double least, double most, double *out,
              const char *help);
  void integer(const char *name, int64_t least, int64_t most, int64_t *out,
               const char *help);
  /// May be given again.
  void list(const char *name, std::vector<std::string> *out, const char *help);
  void toggle(const char *name, bool *out, const char *help);
  /// One of `values`.
  void choice(const char *name, std::vector<std::string> values,
              std::string *out, const char *help);
  void positional(const char *name, std::string *out);

  Status parse(int argc, char **argv);

  /// Set by --help and --version, which every tool has.
  bool wantsHelp = false, wantsVersion = false;
  std::string helpText() const;

private:
  struct Flag {
    std::string name;
    bool takesValue, repeats;
    std::function<Status(std::string_view)> set;
    std::string help;
    bool given = false;
  };
  void add(const char *name, bool takesValue, bool repeats,
           std::function<Status(std::string_view)> set, const char *help);
  Status give(Flag &flag, std::string_view value);
  Status givePositional(std::string_view value);

  std::string synopsis;
  std::vector<Flag> flags;
  std::vector<std::pair<std::string, std::string *>> positionals;
  size_t nextPositional = 0;
};

/// Prints a failure as "TOOL: error[K3-Ennnn]: ..." and gives its exit code.
int report(const char *tool, const Status &status);

} // namespace k3::tools

#endif // K3_TOOLS_SUPPORT_FLAGS_H
