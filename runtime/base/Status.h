// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call that can fail returns: nothing, or a code and one line of text.

#ifndef K3_RUNTIME_BASE_STATUS_H
#define K3_RUNTIME_BASE_STATUS_H

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k3 {

/// Same numbers as `k3_code` in k3rt.h, which are also the tools' exit codes.
enum class Code : int {
  Ok = 0,
  BadInput = 1,
  BadUsage = 2,
  Environment = 3,
  Resources = 4,
  Io = 5,
  DeviceFault = 6,
  CheckFailed = 7,
  Busy = 8,
  Internal = 70,
};

/// Success is one null pointer; a failure owns its text.
class [[nodiscard]] Status {
public:
  Status() = default;
  /// `number` is the stable error number of docs/Errors.md (107 for
  /// K3-E0107); `text` is "where: what (wanted X, got Y)"; `help` says what a
  /// person can do, or is empty.
  static Status error(Code code, int number, std::string text,
                      std::string help = {}) {
    Status status;
    status.failure = std::make_unique<Failure>(
        Failure{code, number, std::move(text), std::move(help), {}});
    return status;
  }

  /// Adds lines that list what `text` sums up.
  Status with(std::vector<std::string> details) && {
    if (failure)
      failure->details = std::move(details);
    return std::move(*this);
  }

  bool ok() const { return !failure; }
  Code code() const { return failure ? failure->code : Code::Ok; }
  int number() const { return failure ? failure->number : 0; }
  const std::string &text() const { return failure ? failure->text : none(); }
  const std::string &help() const { return failure ? failure->help : none(); }
  std::vector<std::string> details() const {
    return failure ? failure->details : std::vector<std::string>();
  }

  /// Puts "where: " before the text.
  Status in(std::string_view where) && {
    if (failure)
      failure->text = std::string(where) + ": " + failure->text;
    return std::move(*this);
  }

  /// "error[K3-E0107]: where: what", the details as indented lines, and a
  /// "help: ..." line when there is one. Every byte that is not printable ASCII
  /// is escaped, and the first line is short enough for 200 characters with a
  /// tool's name before it.
  std::string render() const;

private:
  struct Failure {
    Code code;
    int number;
    std::string text;
    std::string help;
    std::vector<std::string> details;
  };
  static const std::string &none() {
    static const std::string empty;
    return empty;
  }
  std::unique_ptr<Failure> failure;
};

} // namespace k3

#define K3_TRY(expr)                                                           \
  do {                                                                         \
    if (::k3::Status k3Status = (expr); !k3Status.ok())                        \
      return k3Status;                                                         \
  } while (0)

#endif // K3_RUNTIME_BASE_STATUS_H
