// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an artefact: everything in it is verified before it is handed out. See
// docs/ArtefactFormat.md.

#ifndef K3_RUNTIME_FORMAT_ARTEFACTREADER_H
#define K3_RUNTIME_FORMAT_ARTEFACTREADER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace k3::artefact {
struct Index;
}

namespace k3 {

constexpr uint16_t artefactMajor = 1, artefactMinor = 1;

struct ArtefactSection {
  std::string name;
  uint64_t offset = 0; // in the file
  std::span<const uint8_t> bytes;
};

/// A verified artefact. It points into the bytes that were verified.
struct ArtefactView {
  uint16_t major = 0, minor = 0;
  const artefact::Index *index = nullptr;
  std::vector<ArtefactSection> sections;

  /// The bytes of a section; empty when there is none of that name.
  std::span<const uint8_t> section(std::string_view name) const;
};

/// Verifies the bytes of a whole file, which must start at a multiple of 16 in
/// memory. On success every offset, index and count in the view may be used
/// without further checks, every name is UTF-8 text without a zero byte, and
/// names are unique. The text of a failure does not name the file.
Status readArtefact(std::span<const uint8_t> bytes, ArtefactView &out);

/// An artefact in memory of its own.
class ArtefactFile {
public:
  /// Failures name the file.
  static Status open(const std::string &path, ArtefactFile &out);

  const ArtefactView &view() const { return contents; }
  const artefact::Index &index() const { return *contents.index; }
  std::span<const uint8_t> section(std::string_view name) const {
    return contents.section(name);
  }

private:
  std::vector<uint8_t> bytes;
  ArtefactView contents;
};

} // namespace k3

#endif // K3_RUNTIME_FORMAT_ARTEFACTREADER_H
