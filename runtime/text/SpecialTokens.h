// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of tokenizer_config.json that ordinary text never becomes.

#ifndef K3_RUNTIME_TEXT_SPECIALTOKENS_H
#define K3_RUNTIME_TEXT_SPECIALTOKENS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <map>
#include <span>

namespace k3::text {

constexpr uint64_t mostTokenizerConfigBytes = 16u << 20;

class SpecialTokens {
public:
  /// Reads "added_tokens_decoder". Ids lie between `ordinary`, the number of
  /// ordinary tokens, and 2^31; ids and texts are unique.
  static Status parse(std::span<const uint8_t> json, int32_t ordinary,
                      SpecialTokens &out);

  /// -1 when there is none of that text.
  int32_t find(std::string_view content) const;
  /// Null when there is none of that id.
  const std::string *contentOf(int32_t id) const;
  const std::map<int32_t, std::string> &all() const { return contents; }

private:
  std::map<int32_t, std::string> contents;
  std::map<std::string, int32_t, std::less<>> ids;
};

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_SPECIALTOKENS_H
