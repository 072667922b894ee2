// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether bytes are text.

#ifndef K3_RUNTIME_FORMAT_UTF8_H
#define K3_RUNTIME_FORMAT_UTF8_H

#include <string_view>

namespace k3 {

/// The first byte that does not belong to well-formed UTF-8 (no overlong form,
/// no surrogate, nothing above U+10FFFF); `text.size()` when all do.
size_t findNonUtf8(std::string_view text);

inline bool isUtf8(std::string_view text) {
  return findNonUtf8(text) == text.size();
}

} // namespace k3

#endif // K3_RUNTIME_FORMAT_UTF8_H
