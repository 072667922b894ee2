// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts sections together as an artefact.

#ifndef K3_RUNTIME_FORMAT_ARTEFACTWRITER_H
#define K3_RUNTIME_FORMAT_ARTEFACTWRITER_H

#include "runtime/base/Status.h"

#include <span>
#include <string>
#include <string_view>

namespace k3 {

struct SectionBytes {
  std::string name; ///< 1 to 16 printable ASCII characters, unique
  std::string_view bytes;
};

/// The bytes of an artefact with these sections, in their order. The same
/// input gives the same bytes.
Status makeArtefact(std::span<const SectionBytes> sections, std::string &out);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_ARTEFACTWRITER_H
