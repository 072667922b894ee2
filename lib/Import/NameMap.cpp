// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefixes of released checkpoints, and alternatives for one name.

#include "NameMap.h"

#include "llvm/ADT/STLExtras.h"

using namespace k3;
using llvm::StringRef;

namespace {
struct Prefix {
  const char *text, *head;
};
} // namespace

/// Most telling first; the last one is the released kimi_linear form.
static constexpr Prefix prefixes[] = {
    {"language_model.model.", "language_model."},
    {"model.language_model.", ""},
    {"model.", ""},
};

NameMap NameMap::detect(const TensorTable &table) {
  const Prefix *best = &prefixes[std::size(prefixes) - 1];
  size_t most = 0;
  for (const Prefix &candidate : prefixes) {
    size_t count = llvm::count_if(table.all(), [&](const auto &entry) {
      StringRef name = entry.getKey();
      return name.consume_front(candidate.text) &&
             (name.starts_with("layers.") || name.starts_with("embed_tokens"));
    });
    if (count > most) {
      most = count;
      best = &candidate;
    }
  }
  NameMap map;
  map.prefix = best->text;
  map.headPrefix = best->head;
  return map;
}

bool NameMap::isVision(StringRef full) {
  full.consume_front("model.");
  return full.starts_with("vision_tower.") ||
         full.starts_with("mm_projector.") ||
         full.starts_with("multi_modal_projector.");
}

std::string k3::withIndex(StringRef name, int64_t index) {
  auto [before, after] = name.split("{}");
  return before.str() + std::to_string(index) + after.str();
}

std::string k3::pickName(const TensorTable &table,
                         llvm::ArrayRef<std::string> alternatives,
                         int64_t stack) {
  for (int64_t index = 0, end = std::max<int64_t>(stack, 1); index < end;
       ++index)
    for (const std::string &name : alternatives)
      if (table.contains(stack ? withIndex(name, index) : name))
        return name;
  return alternatives.front();
}
