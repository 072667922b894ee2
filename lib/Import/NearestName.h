// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "Did you mean": the closest of many names, in bounded time.

#ifndef K3_LIB_IMPORT_NEARESTNAME_H
#define K3_LIB_IMPORT_NEARESTNAME_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace k3 {

class NearestName {
public:
  explicit NearestName(std::vector<llvm::StringRef> names)
      : names(std::move(names)) {}

  /// A name within a few edits of `name`, or empty. After `budget` comparisons
  /// in all, nothing is found any more.
  llvm::StringRef find(llvm::StringRef name);

private:
  std::vector<llvm::StringRef> names;
  size_t budget = 2'000'000;
};

} // namespace k3

#endif // K3_LIB_IMPORT_NEARESTNAME_H
