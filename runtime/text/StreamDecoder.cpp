// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of the text is held while continuation bytes could complete it.

#include "runtime/text/StreamDecoder.h"

#include "runtime/format/Utf8.h"

#include <algorithm>
#include <cstdint>

using namespace k3;
using namespace k3::text;

/// Whether some bytes after these make a well-formed character.
static bool isCharacterStart(std::string_view bytes) {
  uint8_t first = uint8_t(bytes[0]);
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (bytes.size() >= length)
    return false;
  // Only the second byte has a narrower range, which depends on the first.
  for (uint8_t second : {uint8_t(0x80), uint8_t(0x90), uint8_t(0xa0)}) {
    std::string tried(bytes);
    if (tried.size() == 1)
      tried.push_back(char(second));
    tried.resize(length, char(0x80));
    if (isUtf8(tried))
      return true;
  }
  return false;
}

std::string StreamDecoder::push(std::string_view bytes) {
  held += bytes;
  size_t keep = 0;
  for (size_t n = 1; n <= std::min<size_t>(3, held.size()); ++n)
    if (isCharacterStart(std::string_view(held).substr(held.size() - n)))
      keep = n;
  std::string shown = held.substr(0, held.size() - keep);
  held.erase(0, held.size() - keep);
  return shown;
}
