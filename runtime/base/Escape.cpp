// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escapes bytes, never code points: what a terminal makes of them is unknown.

#include "runtime/base/Escape.h"

using namespace k3;

std::string k3::escaped(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  for (unsigned char byte : text) {
    if (byte >= 0x20 && byte < 0x7f) {
      shown += char(byte);
      continue;
    }
    shown += "\\x";
    shown += digits[byte >> 4];
    shown += digits[byte & 15];
  }
  return shown;
}

std::string k3::shortened(std::string text, size_t most) {
  constexpr std::string_view gap = "...";
  if (text.size() <= most)
    return text;
  size_t kept = most - gap.size();
  size_t tail = kept / 2;
  return text.substr(0, kept - tail) + std::string(gap) +
         text.substr(text.size() - tail);
}

std::string k3::quote(std::string_view text) {
  // Enough to fill the result even when every byte is escaped; long input is
  // cut first, so that the time does not depend on it.
  constexpr size_t most = 120;
  std::string part;
  if (text.size() > 2 * most)
    part = escaped(text.substr(0, most)) +
           escaped(text.substr(text.size() - most));
  else
    part = escaped(text);
  return "'" + shortened(std::move(part), most) + "'";
}
