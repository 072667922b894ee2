// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module on the reference and compiled, value by value.

#ifndef K3_TOOLS_K3_CHECK_CHECKJOB_H
#define K3_TOOLS_K3_CHECK_CHECKJOB_H

#include "Comparison.h"
#include "runtime/base/Status.h"

#include <optional>
#include <string>
#include <vector>

namespace k3 {

struct CheckFlags {
  std::string input, weights, entry, target, precision, recurrence;
  std::string inputsFile;         ///< safetensors with inputs by name
  std::vector<int32_t> promptIds; ///< or one sequence of tokens
  /// safetensors with wanted results by name, or "NAME@ROW" for one row.
  std::string expectedFile;
  /// Carry reference values on instead of compiled ones.
  bool chained = false;
  bool onlyFailures = false;
  int threads = 0;
  std::optional<double> maxRms, maxRow; ///< instead of the bounds by type
};

/// Prints a line for every value. CheckFailed when one is out of bounds.
Status runCheck(const CheckFlags &flags);

} // namespace k3

#endif // K3_TOOLS_K3_CHECK_CHECKJOB_H
