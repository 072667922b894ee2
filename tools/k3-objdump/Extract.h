// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of an artefact that a user wants as a file.

#ifndef K3_TOOLS_OBJDUMP_EXTRACT_H
#define K3_TOOLS_OBJDUMP_EXTRACT_H

#include "runtime/format/ArtefactReader.h"

namespace k3::objdump {

/// A whole section, or the image ("cubin", "ptx") of a GPU kernel.
struct Extraction {
  std::string section;
  std::string image, kernel, target;

  bool wanted() const { return !section.empty() || !image.empty(); }
};

Status find(const ArtefactView &view, const Extraction &wanted,
            std::span<const uint8_t> &bytes);

} // namespace k3::objdump

#endif // K3_TOOLS_OBJDUMP_EXTRACT_H
