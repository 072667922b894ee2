// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file is that is not what it should be.

#ifndef K3_RUNTIME_FORMAT_FOREIGNFILE_H
#define K3_RUNTIME_FORMAT_FOREIGNFILE_H

#include <cstdint>
#include <span>
#include <string>

namespace k3 {

struct ForeignFile {
  std::string kind; ///< "a git-lfs pointer", "a PNG image"; empty: unknown
  std::string help; ///< what a person can do, or empty
};

/// Recognises a kind of file by its first bytes.
ForeignFile recognise(std::span<const uint8_t> bytes);

/// "starts with 'version https://git-lfs'": the first bytes, escaped.
std::string beginningOf(std::span<const uint8_t> bytes);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_FOREIGNFILE_H
