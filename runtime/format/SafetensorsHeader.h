// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a safetensors file: names, element types, shapes and places.

#ifndef K3_RUNTIME_FORMAT_SAFETENSORSHEADER_H
#define K3_RUNTIME_FORMAT_SAFETENSORSHEADER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace k3 {

/// The longest header that is read, as in the reference implementation.
constexpr uint64_t mostHeaderBytes = 100'000'000;
/// The most tensors in one file.
constexpr uint64_t mostHeaderTensors = 500'000;

struct SafetensorsTensor {
  std::string name;
  /// As the file spells it, "BF16"; a static string.
  std::string_view dtype;
  std::vector<int64_t> shape;
  /// Bytes [begin, end) of the data behind the header.
  uint64_t begin = 0, end = 0;

  uint64_t bytes() const { return end - begin; }
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsTensor> tensors; ///< sorted by place
};

/// Bytes of an element of a type in safetensors' spelling; 0 when there is no
/// such type or its elements are smaller than a byte.
size_t safetensorsElementBytes(std::string_view dtype);

/// The bytes that the header has, from the first 8 bytes of a file of
/// `fileBytes` bytes.
Status readHeaderLength(std::span<const uint8_t> firstBytes, uint64_t fileBytes,
                        uint64_t &out);

/// Parses the JSON of a header that `dataBytes` bytes follow. On success the
/// tensors fill the data without holes or overlaps, each has as many bytes as
/// its shape says, and names are unique. Failures do not name the file.
Status parseSafetensorsHeader(std::span<const uint8_t> json, uint64_t dataBytes,
                              SafetensorsHeader &out);

/// "[2, 3]", for messages.
std::string shapeText(std::span<const int64_t> shape);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_SAFETENSORSHEADER_H
