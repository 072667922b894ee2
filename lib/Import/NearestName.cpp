// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearest name by edit distance.

#include "NearestName.h"

#include <algorithm>

using namespace k3;
using llvm::StringRef;

/// Edits between two names, or more than `limit`. What they share at both ends
/// costs nothing to compare.
static unsigned editsBetween(StringRef a, StringRef b, unsigned limit) {
  size_t shorter = std::min(a.size(), b.size());
  if (std::max(a.size(), b.size()) - shorter > limit)
    return limit + 1;
  size_t head = std::mismatch(a.begin(), a.begin() + shorter, b.begin()).first -
                a.begin();
  a = a.drop_front(head);
  b = b.drop_front(head);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a = a.drop_back();
    b = b.drop_back();
  }
  return a.edit_distance(b, true, limit);
}

StringRef NearestName::find(StringRef name) {
  unsigned limit = 6;
  StringRef best;
  if (budget < names.size())
    return best;
  budget -= names.size();
  for (StringRef candidate : names) {
    unsigned edits = editsBetween(name, candidate, limit);
    if (edits > limit || (edits == limit && !best.empty() && best < candidate))
      continue;
    limit = edits;
    best = candidate;
  }
  return best;
}
