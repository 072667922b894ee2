// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "Did you mean": the closest of many names, in bounded time.

#ifndef K3_RUNTIME_WEIGHTS_NEARESTNAME_H
#define K3_RUNTIME_WEIGHTS_NEARESTNAME_H

#include <cstddef>
#include <string_view>
#include <vector>

namespace k3 {

/// Insertions, removals and replacements between two texts; anything above
/// `most` is `most` + 1.
size_t editDistance(std::string_view a, std::string_view b, size_t most);

class NearestName {
public:
  explicit NearestName(std::vector<std::string_view> names)
      : names(std::move(names)) {}

  /// A name within a few edits of `name`, the first of several, or empty. After
  /// some number of comparisons in all, nothing is found any more.
  std::string_view find(std::string_view name);

private:
  std::vector<std::string_view> names;
  size_t budget = 2'000'000;
};

} // namespace k3

#endif // K3_RUNTIME_WEIGHTS_NEARESTNAME_H
