// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base64 with the standard alphabet and padding.

#ifndef K3_RUNTIME_TEXT_BASE64_H
#define K3_RUNTIME_TEXT_BASE64_H

#include <string>
#include <string_view>

namespace k3::text {

/// False unless the text is exactly what an encoder writes: whole groups of
/// four, padding only at the end, unused bits zero.
bool decodeBase64(std::string_view text, std::string &out);

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_BASE64_H
