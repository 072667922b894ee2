// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the Unicode standard, chapter 3.9, "Well-Formed UTF-8 Byte
// Sequences".

#include "runtime/format/Utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace k3;

namespace {

/// The length of the sequence that starts at `at`, or 0.
size_t sequenceAt(std::string_view text, size_t at) {
  auto byte = [&](size_t i) {
    return i < text.size() ? (unsigned char)text[i] : 0u;
  };
  unsigned lead = byte(at);
  if (lead < 0xc2 || lead > 0xf4)
    return 0;
  size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(at + 1) < low || byte(at + 1) > high)
    return 0;
  for (size_t i = 2; i < length; ++i)
    if (byte(at + i) < 0x80 || byte(at + i) > 0xbf)
      return 0;
  return length;
}

} // namespace

size_t k3::findNonUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    uint64_t eight;
    if (i + sizeof(eight) <= text.size()) {
      std::memcpy(&eight, text.data() + i, sizeof(eight));
      if ((eight & 0x8080808080808080) == 0) {
        i += sizeof(eight);
        continue;
      }
    }
    size_t length = (unsigned char)text[i] < 0x80 ? 1 : sequenceAt(text, i);
    if (length == 0)
      return i;
    i += length;
  }
  return text.size();
}
