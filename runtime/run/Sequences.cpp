// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels index memory with these numbers, so nothing runs before they hold.

#include "runtime/run/Sequences.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace k3;
using namespace k3::run;

namespace {

std::string at(const char *array, int64_t index) {
  return std::string(array) + "[" + std::to_string(index) + "]";
}

Status cuSeqlensError(const std::string &text) {
  return Status::error(Code::BadInput, 413, text);
}

} // namespace

Status k3::run::checkCuSeqlens(const Sequences &s) {
  if (!s.hasCuSeqlens)
    return {};
  std::span<const int32_t> cu = s.cuSeqlens;
  if (cu.empty())
    return cuSeqlensError("cu_seqlens is empty (wanted one entry more than "
                          "there are sequences)");
  if (s.hasSlots && cu.size() != s.slots.size() + 1)
    return cuSeqlensError("cu_seqlens has " + std::to_string(cu.size()) +
                          " entries for " + std::to_string(s.slots.size()) +
                          " sequences (wanted " +
                          std::to_string(s.slots.size() + 1) + ")");
  if (cu[0] != 0)
    return cuSeqlensError("cu_seqlens[0] = " + std::to_string(cu[0]) +
                          " (wanted 0)");
  for (size_t i = 1; i < cu.size(); ++i)
    if (cu[i] < cu[i - 1])
      return cuSeqlensError(
          at("cu_seqlens", i) + " = " + std::to_string(cu[i]) + " < " +
          at("cu_seqlens", i - 1) + " = " + std::to_string(cu[i - 1]));
  if (s.tokens >= 0 && cu.back() != s.tokens)
    return cuSeqlensError(at("cu_seqlens", cu.size() - 1) + " = " +
                          std::to_string(cu.back()) + " (wanted " +
                          std::to_string(s.tokens) + ", the number of tokens)");
  return {};
}

Status k3::run::checkSlots(const Sequences &s, int64_t pool) {
  for (size_t i = 0; i < s.slots.size(); ++i)
    if (s.slots[i] < -1 || s.slots[i] >= pool)
      return Status::error(Code::BadInput, 414,
                           at("slots", i) + " = " + std::to_string(s.slots[i]) +
                               " lies outside the pool (wanted -1 to " +
                               std::to_string(pool - 1) + ")");
  if (s.slots.size() < 2)
    return {};
  std::vector<int32_t> sorted(s.slots.begin(), s.slots.end());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] < 0 || sorted[i] != sorted[i - 1])
      continue;
    auto first = std::find(s.slots.begin(), s.slots.end(), sorted[i]);
    auto second = std::find(first + 1, s.slots.end(), sorted[i]);
    return Status::error(Code::BadInput, 414,
                         at("slots", second - s.slots.begin()) + " = " +
                             std::to_string(sorted[i]) +
                             " is in use by another sequence of the call, " +
                             at("slots", first - s.slots.begin()));
  }
  return {};
}

Status k3::run::checkContext(const Sequences &s, int64_t capacity) {
  if (!s.hasContextLens)
    return {};
  int64_t count = s.count();
  if (int64_t(s.contextLens.size()) != count)
    return Status::error(
        Code::BadInput, 415,
        "context_lens has " + std::to_string(s.contextLens.size()) +
            " entries for " + std::to_string(count) + " sequences");
  for (int64_t n = 0; n < count; ++n) {
    int64_t context = s.contextLens[n], added = s.length(n);
    if (context < 0)
      return Status::error(Code::BadInput, 415,
                           at("context_lens", n) + " = " +
                               std::to_string(context) + " is negative");
    bool padded = s.hasSlots && s.slots[n] < 0;
    if (capacity >= 0 && !padded && context + added > capacity)
      return Status::error(Code::Resources, 417,
                           "sequence " + std::to_string(n) + ": " +
                               std::to_string(context) + " + " +
                               std::to_string(added) +
                               " tokens exceed the slot's capacity of " +
                               std::to_string(capacity),
                           "create the session with a larger capacity");
  }
  return {};
}

Status k3::run::checkTokens(std::span<const int32_t> tokens,
                            int64_t vocabulary) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= vocabulary)
      return Status::error(Code::BadInput, 416,
                           at("tokens", i) + " = " + std::to_string(tokens[i]) +
                               " lies outside the vocabulary (wanted 0 to " +
                               std::to_string(vocabulary - 1) + ")");
  return {};
}
