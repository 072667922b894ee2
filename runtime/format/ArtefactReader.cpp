// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container, in the order of docs/ArtefactFormat.md: nothing is read that
// has not been compared with the file's size.

#include "runtime/format/ArtefactReader.h"

#include "runtime/base/Escape.h"
#include "runtime/base/File.h"
#include "runtime/base/Sha256.h"
#include "runtime/format/ArtefactLayout.h"
#include "runtime/format/ForeignFile.h"
#include "runtime/format/IndexCheck.h"

#include <algorithm>

using namespace k3;
using namespace k3::layout;

namespace {

constexpr uint64_t mostBytes = uint64_t(4) << 30;

Status refuse(int number, const std::string &what, std::string help = {}) {
  return Status::error(Code::BadInput, number, what, std::move(help));
}

std::string number(uint64_t value) { return std::to_string(value); }

bool allZero(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](uint8_t byte) { return byte == 0; });
}

/// Verifies the container and fills the view's sections.
class ContainerCheck {
public:
  ContainerCheck(std::span<const uint8_t> bytes, ArtefactView &view)
      : bytes(bytes), view(view) {}

  Status run() {
    K3_TRY(checkIdentifier());
    K3_TRY(checkVersion());
    K3_TRY(checkTableSize());
    K3_TRY(checkHeaderDigest());
    K3_TRY(readRows());
    K3_TRY(checkFileSize());
    return checkSections();
  }

private:
  template <class T> T at(uint64_t offset) const {
    return load<T>(bytes.data() + offset);
  }

  Status checkIdentifier() const {
    if (bytes.empty())
      return refuse(301, "file is empty (wanted a k3 artefact)");
    bool fits = bytes.size() >= identifierAt + sizeof(identifier);
    if (!fits || std::memcmp(bytes.data() + identifierAt, identifier,
                             sizeof(identifier)) != 0) {
      ForeignFile foreign = recognise(bytes);
      std::string kind =
          foreign.kind.empty() ? "" : "is " + foreign.kind + ", ";
      return refuse(302,
                    "not a k3 artefact (" + kind + beginningOf(bytes) + ")",
                    foreign.help);
    }
    if (bytes.size() < headerBytes)
      return refuse(303, "file ends at byte " + number(bytes.size()) +
                             ", the header needs " + number(headerBytes));
    return {};
  }

  /// Checked before the digest, so that a file of another version says so.
  Status checkVersion() const {
    view.major = at<uint16_t>(majorAt);
    view.minor = at<uint16_t>(minorAt);
    if (view.major == artefactMajor)
      return {};
    return refuse(304,
                  "artefact version " + number(view.major) + "." +
                      number(view.minor) + "; this runtime reads " +
                      number(artefactMajor) + ".x",
                  view.major > artefactMajor
                      ? "update the runtime, or recompile the model with its "
                        "k3-compile"
                      : "recompile the model");
  }

  Status checkTableSize() {
    count = at<uint32_t>(countAt);
    if (count < 1 || count > mostSections)
      return refuse(305, number(count) + " sections (wanted 1 to " +
                             number(mostSections) + ")");
    head = headerBytes + rowBytes * count;
    if (at<uint32_t>(headerSizeAt) != head)
      return refuse(305, "header size is " +
                             number(at<uint32_t>(headerSizeAt)) + " (wanted " +
                             number(head) + " for " + number(count) +
                             " sections)");
    if (bytes.size() < head)
      return refuse(303, "file ends at byte " + number(bytes.size()) +
                             ", the section table needs " + number(head));
    return {};
  }

  Status checkHeaderDigest() const {
    std::vector<uint8_t> copy(bytes.begin(), bytes.begin() + int64_t(head));
    std::fill_n(copy.begin() + headerDigestAt, digestBytes, 0);
    Digest digest = sha256Of(copy);
    if (!std::equal(digest.begin(), digest.end(),
                    bytes.begin() + headerDigestAt))
      return refuse(306, "the header is damaged (sha256 differs)");
    if (at<uint64_t>(zeroAt) != 0)
      return refuse(305, "a reserved field of the header is not zero");
    return {};
  }

  Status readRows() {
    for (uint32_t i = 0; i < count; ++i) {
      const uint8_t *row = bytes.data() + headerBytes + rowBytes * i;
      const char *text = reinterpret_cast<const char *>(row + nameAt);
      size_t length = strnlen(text, nameBytes);
      ArtefactSection section;
      section.name.assign(text, length);
      bool isName = length > 0 &&
                    allZero({row + nameAt + length, nameBytes - length}) &&
                    std::all_of(section.name.begin(), section.name.end(),
                                [](char c) { return c > 0x20 && c < 0x7f; });
      if (!isName)
        return refuse(308, "section " + number(i) +
                               " has a name that is not printable");
      if (std::any_of(view.sections.begin(), view.sections.end(),
                      [&](const ArtefactSection &other) {
                        return other.name == section.name;
                      }))
        return refuse(308, "section '" + section.name + "' appears twice");
      section.offset = load<uint64_t>(row + offsetAt);
      uint64_t size = load<uint64_t>(row + sizeAt);
      // A file that was cut is named as such, with the section it ends in.
      if (section.offset <= at<uint64_t>(fileSizeAt) &&
          size <= at<uint64_t>(fileSizeAt) - section.offset &&
          (section.offset > bytes.size() ||
           size > bytes.size() - section.offset))
        return refuse(303, "file ends at byte " + number(bytes.size()) +
                               ", section '" + section.name + "' needs " +
                               number(section.offset + size));
      if (section.offset > bytes.size() || size > bytes.size() - section.offset)
        return refuse(309, "section " + number(i) + " [" +
                               number(section.offset) + ", +" + number(size) +
                               ") lies outside the file of " +
                               number(bytes.size()) + " bytes");
      section.bytes = bytes.subspan(section.offset, size);
      view.sections.push_back(std::move(section));
    }
    return {};
  }

  Status checkFileSize() const {
    uint64_t size = at<uint64_t>(fileSizeAt);
    if (bytes.size() < size)
      return refuse(303, "file ends at byte " + number(bytes.size()) +
                             ", the header says " + number(size));
    if (bytes.size() > size)
      return refuse(307, number(bytes.size() - size) +
                             " bytes follow the last section");
    return {};
  }

  /// Sorted, aligned, apart, zeros between them, nothing behind, undamaged.
  Status checkSections() const {
    uint64_t end = head;
    for (uint32_t i = 0; i < count; ++i) {
      const ArtefactSection &section = view.sections[i];
      if (section.offset % alignment != 0)
        return refuse(309, "section " + number(i) + " starts at byte " +
                               number(section.offset) +
                               " (wanted a multiple of 64)");
      if (section.offset < end)
        return refuse(309, i == 0
                               ? "section 0 overlaps the header"
                               : "sections " + number(i - 1) + " and " +
                                     number(i) + " overlap or are not sorted");
      if (!allZero(bytes.subspan(end, section.offset - end)))
        return refuse(310, "bytes before section '" + section.name +
                               "' are not zero");
      end = section.offset + section.bytes.size();
      Digest digest = sha256Of(section.bytes);
      if (std::memcmp(digest.data(),
                      bytes.data() + headerBytes + rowBytes * i + digestAt,
                      digestBytes) != 0)
        return refuse(306, "section '" + section.name +
                               "' is damaged (sha256 differs)");
    }
    if (end != bytes.size())
      return refuse(307, number(bytes.size() - end) +
                             " bytes follow the last section");
    return {};
  }

  std::span<const uint8_t> bytes;
  ArtefactView &view;
  uint32_t count = 0;
  uint64_t head = 0; // bytes of header and table
};

} // namespace

std::span<const uint8_t> ArtefactView::section(std::string_view name) const {
  for (const ArtefactSection &section : sections)
    if (section.name == name)
      return section.bytes;
  return {};
}

Status k3::readArtefact(std::span<const uint8_t> bytes, ArtefactView &out) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0)
    return Status::error(Code::Internal, 391,
                         "the artefact's bytes are not aligned in memory");
  ArtefactView view;
  K3_TRY(ContainerCheck(bytes, view).run());
  K3_TRY(checkIndex(view));
  out = std::move(view);
  return {};
}

Status ArtefactFile::open(const std::string &path, ArtefactFile &out) {
  ArtefactFile file;
  K3_TRY(readFile(path, mostBytes, file.bytes));
  K3_TRY(readArtefact(file.bytes, file.contents).in(escaped(path)));
  // Moving a vector keeps its bytes in their place.
  out = std::move(file);
  return {};
}
