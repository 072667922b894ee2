// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levenshtein distance, row by row, given up when a row is above the limit.

#include "runtime/weights/NearestName.h"

#include <algorithm>

using namespace k3;

size_t k3::editDistance(std::string_view a, std::string_view b, size_t most) {
  // Names of tensors mostly differ in one place.
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() > b.size())
    std::swap(a, b);
  if (b.size() - a.size() > most)
    return most + 1;
  std::vector<size_t> row(a.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i)
    row[i] = i;
  for (size_t k = 0; k < b.size(); ++k) {
    size_t diagonal = row[0], least = row[0] = k + 1;
    for (size_t i = 0; i < a.size(); ++i) {
      size_t replaced = diagonal + (a[i] != b[k]);
      diagonal = row[i + 1];
      row[i + 1] = std::min({replaced, row[i + 1] + 1, row[i] + 1});
      least = std::min(least, row[i + 1]);
    }
    if (least > most)
      return most + 1;
  }
  return std::min(row.back(), most + 1);
}

std::string_view NearestName::find(std::string_view name) {
  size_t most = std::clamp<size_t>(name.size() / 4, 2, 8);
  std::string_view best;
  for (std::string_view candidate : names) {
    size_t difference = candidate.size() > name.size()
                            ? candidate.size() - name.size()
                            : name.size() - candidate.size();
    if (difference > most)
      continue;
    if (budget == 0)
      break;
    --budget;
    size_t distance = editDistance(name, candidate, most);
    if (distance > most)
      continue;
    best = candidate;
    if (distance <= 1)
      break;
    most = distance - 1;
  }
  return best;
}
