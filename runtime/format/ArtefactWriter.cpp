// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections first, then the header over their digests.

#include "runtime/format/ArtefactWriter.h"

#include "runtime/base/Escape.h"
#include "runtime/base/Sha256.h"
#include "runtime/format/ArtefactLayout.h"
#include "runtime/format/ArtefactReader.h"

#include <algorithm>

using namespace k3;
using namespace k3::layout;

namespace {

void putDigest(char *to, std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  Digest digest = hash.digest();
  std::memcpy(to, digest.data(), digest.size());
}

Status checkNames(std::span<const SectionBytes> sections) {
  for (size_t i = 0; i < sections.size(); ++i) {
    const std::string &name = sections[i].name;
    bool fits = !name.empty() && name.size() <= nameBytes &&
                std::all_of(name.begin(), name.end(),
                            [](char c) { return c > 0x20 && c < 0x7f; });
    for (size_t k = 0; k < i; ++k)
      fits &= sections[k].name != name;
    if (!fits)
      return Status::error(Code::BadUsage, 320,
                           quote(name) + " cannot name a section");
  }
  return {};
}

} // namespace

Status k3::makeArtefact(std::span<const SectionBytes> sections,
                        std::string &out) {
  if (sections.empty() || sections.size() > mostSections)
    return Status::error(Code::BadUsage, 320,
                         "an artefact cannot have " +
                             std::to_string(sections.size()) + " sections");
  K3_TRY(checkNames(sections));
  uint64_t head = headerBytes + rowBytes * sections.size();
  out.assign(head, '\0');
  for (size_t i = 0; i < sections.size(); ++i) {
    const SectionBytes &section = sections[i];
    out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
    uint64_t offset = out.size();
    out += section.bytes;
    char *row = out.data() + headerBytes + rowBytes * i;
    std::copy(section.name.begin(), section.name.end(), row + nameAt);
    store<uint64_t>(row + offsetAt, offset);
    store<uint64_t>(row + sizeAt, section.bytes.size());
    putDigest(row + digestAt, section.bytes);
  }
  char *header = out.data();
  store<uint32_t>(header + headerSizeAt, uint32_t(head));
  std::memcpy(header + identifierAt, identifier, sizeof(identifier));
  store<uint16_t>(header + majorAt, artefactMajor);
  store<uint16_t>(header + minorAt, artefactMinor);
  store<uint32_t>(header + countAt, uint32_t(sections.size()));
  store<uint64_t>(header + fileSizeAt, out.size());
  putDigest(header + headerDigestAt, std::string_view(header, head));
  return {};
}
