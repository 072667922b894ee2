// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines are counted first, so that no rank asks for more memory than the file
// can fill.

#include "runtime/text/RankTable.h"

#include "runtime/base/Escape.h"
#include "runtime/text/Base64.h"

#include <charconv>

using namespace k3;
using namespace k3::text;

namespace {

/// Calls `visit(line, number)` for every line that is not empty; a carriage
/// return before the end is not part of a line.
template <class Visit>
Status forEachLine(std::string_view text, const Visit &visit) {
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (!line.empty())
      K3_TRY(visit(line).in("line " + std::to_string(number)));
  }
  return {};
}

Status badLine(const std::string &what) {
  return Status::error(Code::BadInput, 701, what);
}

} // namespace

Status RankTable::addLine(std::string_view line, size_t lines) {
  if (line.size() > mostRankLineBytes)
    return badLine("has " + std::to_string(line.size()) +
                   " bytes (wanted at most " +
                   std::to_string(mostRankLineBytes) + ")");
  size_t space = line.find(' ');
  if (space == std::string_view::npos)
    return badLine("is " + quote(line) + " (wanted 'base64 rank')");
  std::string bytes;
  if (!decodeBase64(line.substr(0, space), bytes) || bytes.empty())
    return badLine(quote(line.substr(0, space)) + " is not base64 of a token");
  std::string_view digits = line.substr(space + 1);
  uint32_t rank = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (error != std::errc() || end != digits.data() + digits.size())
    return badLine(quote(digits) + " is not a rank");
  if (rank >= lines)
    return Status::error(Code::BadInput, 703,
                         "rank " + std::to_string(rank) + " of " +
                             std::to_string(lines) +
                             " tokens (wanted each from 0 on, none missing)");
  if (!tokens[rank].empty())
    return Status::error(Code::BadInput, 702,
                         "rank " + std::to_string(rank) + " is given twice");
  tokens[rank] = std::move(bytes);
  if (!ranks.emplace(tokens[rank], int32_t(rank)).second)
    return Status::error(Code::BadInput, 702,
                         "token " + quote(tokens[rank]) + " is given twice");
  longestToken = std::max(longestToken, tokens[rank].size());
  return {};
}

Status RankTable::checkSingleBytes() const {
  for (int byte = 0; byte < 256; ++byte)
    if (char c = char(byte); find({&c, 1}) < 0)
      return Status::error(Code::BadInput, 703,
                           "there is no token for the single byte " +
                               quote({&c, 1}));
  return {};
}

Status RankTable::parse(std::span<const uint8_t> file, RankTable &out) {
  std::string_view text(reinterpret_cast<const char *>(file.data()),
                        file.size());
  size_t lines = 0;
  auto count = [&](std::string_view) -> Status {
    ++lines;
    return {};
  };
  K3_TRY(forEachLine(text, count));
  RankTable table;
  table.tokens.resize(lines);
  table.ranks.reserve(lines);
  auto add = [&](std::string_view line) { return table.addLine(line, lines); };
  K3_TRY(forEachLine(text, add));
  K3_TRY(table.checkSingleBytes());
  out = std::move(table);
  return {};
}
