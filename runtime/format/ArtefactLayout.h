// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the fields of an artefact's header and section table are.

#ifndef K3_RUNTIME_FORMAT_ARTEFACTLAYOUT_H
#define K3_RUNTIME_FORMAT_ARTEFACTLAYOUT_H

#include <cstdint>
#include <cstring>

namespace k3::layout {

constexpr uint64_t headerBytes = 64, rowBytes = 64, alignment = 64;
constexpr uint32_t mostSections = 64;
constexpr uint64_t nameBytes = 16, digestBytes = 32;

// In the header.
constexpr uint64_t headerSizeAt = 0, identifierAt = 4, majorAt = 8,
                   minorAt = 10, countAt = 12, fileSizeAt = 16, zeroAt = 24,
                   headerDigestAt = 32;
// In a row of the table.
constexpr uint64_t nameAt = 0, offsetAt = 16, sizeAt = 24, digestAt = 32;

constexpr char identifier[4] = {'K', '3', 'F', 'B'};

/// Numbers are little-endian, as is every machine that this runs on.
template <class T> T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T> void store(char *to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

} // namespace k3::layout

#endif // K3_RUNTIME_FORMAT_ARTEFACTLAYOUT_H
