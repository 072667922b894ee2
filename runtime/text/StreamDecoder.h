// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that come token by token as whole characters.

#ifndef K3_RUNTIME_TEXT_STREAMDECODER_H
#define K3_RUNTIME_TEXT_STREAMDECODER_H

#include <string>
#include <string_view>
#include <utility>

namespace k3::text {

/// Holds back only bytes that may still become a character. Bytes that cannot
/// be part of one pass as they are.
class StreamDecoder {
public:
  /// What can be shown after these bytes.
  std::string push(std::string_view bytes);
  /// The bytes that were held back: the start of a character that never came.
  std::string finish() { return std::exchange(held, {}); }

private:
  std::string held; // at most 3 bytes
};

} // namespace k3::text

#endif // K3_RUNTIME_TEXT_STREAMDECODER_H
