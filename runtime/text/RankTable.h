// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ordinary tokens of a tiktoken file: byte sequences, each with its rank,
// which is both its id and its priority in merging.

#ifndef K3_RUNTIME_TEXT_RANKTABLE_H
#define K3_RUNTIME_TEXT_RANKTABLE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace k3::text {

constexpr uint64_t mostRankFileBytes = 256u << 20;
constexpr size_t mostRankLineBytes = 1u << 16;

class RankTable {
public:
  RankTable() = default;
  RankTable(RankTable &&) = default;
  RankTable &operator=(RankTable &&) = default;

  /// Reads lines of "base64 rank", in any order. On success ranks are 0 to
  /// size() - 1, sequences are unique and all 256 single bytes are among them.
  static Status parse(std::span<const uint8_t> file, RankTable &out);

  int32_t size() const { return int32_t(tokens.size()); }
  const std::string &bytesOf(int32_t rank) const { return tokens[rank]; }
  /// -1 when there is no such token.
  int32_t find(std::string_view bytes) const {
    if (bytes.size() > longestToken)
      return -1;
    auto at = ranks.find(bytes);
    return at == ranks.end() ? -1 : at->second;
  }

private:
  Status addLine(std::string_view line, size_t lines);
  Status checkSingleBytes() const;

  std::vector<std::string> tokens;
  std::unordered_map<std::string_view, int32_t> ranks; // views of `tokens`
  size_t longestToken = 0;
};

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_RANKTABLE_H
