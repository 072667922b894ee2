// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and paths from outside as messages show them: they cannot drive a
// terminal, forge a line or fill the screen.

#ifndef K3_RUNTIME_BASE_ESCAPE_H
#define K3_RUNTIME_BASE_ESCAPE_H

#include <string>
#include <string_view>

namespace k3 {

/// Every byte that is not printable ASCII as \xNN.
std::string escaped(std::string_view text);

/// At most `most` characters: the middle of a longer text becomes "...".
std::string shortened(std::string text, size_t most);

/// 'text', escaped and at most 120 characters long.
std::string quote(std::string_view text);

} // namespace k3

#endif // K3_RUNTIME_BASE_ESCAPE_H
