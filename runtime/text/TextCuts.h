// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long text is cut before it is split into pieces, so that no piece is long.

#ifndef K3_RUNTIME_TEXT_TEXTCUTS_H
#define K3_RUNTIME_TEXT_TEXTCUTS_H

#include <cstddef>
#include <string_view>
#include <vector>

namespace k3::text {

/// Characters of one part, and of a run of only spaces or only others in it.
constexpr size_t mostPartCharacters = 400'000;
constexpr size_t mostRunCharacters = 25'000;

/// Cuts well-formed UTF-8: every 400,000 characters, and inside such a part
/// where a run of white space, or of anything else, exceeds 25,000 characters.
std::vector<std::string_view> cutText(std::string_view utf8);

/// A stretch of text that is all well-formed UTF-8, or not UTF-8 at all.
struct Stretch {
  std::string_view bytes;
  bool isUtf8;
};
std::vector<Stretch> separateUtf8(std::string_view bytes);

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_TEXTCUTS_H
