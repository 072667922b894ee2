// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four characters carry three bytes.

#include "runtime/text/Base64.h"

#include <cstdint>

using namespace k3;

static int valueOf(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool text::decodeBase64(std::string_view text, std::string &out) {
  out.clear();
  if (text.size() % 4 != 0)
    return false;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() &&
         text[text.size() - 1 - padding] == '=')
    ++padding;
  text.remove_suffix(padding);
  uint32_t bits = 0;
  unsigned count = 0;
  for (char c : text) {
    int value = valueOf(c);
    if (value < 0)
      return false;
    bits = bits << 6 | uint32_t(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(char(bits >> count & 0xff));
    }
  }
  return (bits & ((1u << count) - 1)) == 0;
}
