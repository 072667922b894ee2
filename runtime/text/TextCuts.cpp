// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same cuts as the reference tokenizer makes, which decide where pieces
// can begin.

#include "runtime/text/TextCuts.h"

#include "runtime/format/Utf8.h"

#include <algorithm>
#include <cstdint>

using namespace k3;
using namespace k3::text;

namespace {

/// Bytes of the character that starts with `first`, in well-formed UTF-8.
size_t lengthOf(uint8_t first) {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

uint32_t decode(std::string_view bytes) {
  uint32_t value = uint8_t(bytes[0]);
  if (bytes.size() > 1)
    value &= 0x7fu >> bytes.size();
  for (char c : bytes.substr(1))
    value = value << 6 | (uint8_t(c) & 0x3f);
  return value;
}

/// White space as Python's str.isspace has it.
bool isSpace(uint32_t c) {
  return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 ||
         c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
         c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

} // namespace

std::vector<std::string_view> text::cutText(std::string_view utf8) {
  std::vector<std::string_view> parts;
  size_t begin = 0, characters = 0, run = 0;
  bool runIsSpace = false;
  auto cutAt = [&](size_t at) {
    parts.push_back(utf8.substr(begin, at - begin));
    begin = at;
    run = 0;
  };
  for (size_t at = 0; at < utf8.size();) {
    size_t length = lengthOf(uint8_t(utf8[at]));
    bool nowSpace = isSpace(decode(utf8.substr(at, length)));
    if (characters == mostPartCharacters) {
      cutAt(at);
      characters = 0;
    } else if (run == mostRunCharacters && nowSpace == runIsSpace) {
      cutAt(at);
    }
    run = run > 0 && nowSpace == runIsSpace ? run + 1 : 1;
    runIsSpace = nowSpace;
    ++characters;
    at += length;
  }
  if (begin < utf8.size())
    parts.push_back(utf8.substr(begin));
  return parts;
}

std::vector<Stretch> text::separateUtf8(std::string_view bytes) {
  std::vector<Stretch> stretches;
  while (!bytes.empty()) {
    size_t good = findNonUtf8(bytes);
    if (good > 0)
      stretches.push_back({bytes.substr(0, good), true});
    bytes.remove_prefix(good);
    size_t bad = 0;
    while (bad < bytes.size() && bad < mostRunCharacters &&
           findNonUtf8(bytes.substr(bad, 4)) == 0)
      ++bad;
    if (bad > 0)
      stretches.push_back({bytes.substr(0, bad), false});
    bytes.remove_prefix(bad);
  }
  return stretches;
}
