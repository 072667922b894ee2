// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in the pieces that tokens never cross: words, numbers, signs, spaces.

#ifndef K3_RUNTIME_TEXT_PIECES_H
#define K3_RUNTIME_TEXT_PIECES_H

#include "runtime/base/Status.h"

struct pcre2_real_code_8;

namespace k3::text {

/// The compiled pattern. Immutable; may be used on several threads.
class PieceSplitter {
public:
  PieceSplitter() = default;
  PieceSplitter(PieceSplitter &&other) noexcept { *this = std::move(other); }
  PieceSplitter &operator=(PieceSplitter &&other) noexcept {
    std::swap(code, other.code);
    return *this;
  }
  ~PieceSplitter();

  static Status create(PieceSplitter &out);
  /// Appends the pieces of well-formed UTF-8; together they are the text.
  Status split(std::string_view utf8,
               std::vector<std::string_view> &pieces) const;

private:
  pcre2_real_code_8 *code = nullptr;
};

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_PIECES_H
