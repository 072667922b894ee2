// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Header and section table: one fault a test (A1 to A7, A14 of the fault
// catalogue).

#include "runtime/format/ArtefactReader.h"
#include "runtime/format/ArtefactWriter.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/format/SmallArtefact.h"

#include <cstring>

using namespace k3;
using namespace k3::test;

namespace {

template <class T> std::string with(std::string bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
  return bytes;
}

/// The same, with a header digest that fits again.
template <class T>
std::string signedWith(std::string bytes, size_t at, T value) {
  bytes = with(std::move(bytes), at, value);
  fixHeaderDigest(bytes);
  return bytes;
}

constexpr size_t firstRow = 64, secondRow = 128;
constexpr size_t offsetField = 16, sizeField = 24;

} // namespace

TEST(ArtefactContainer, ReadsWhatTheWriterMakes) {
  TempFolder folder;
  writeBytes(folder / "m.fatbin", smallArtefact());
  ArtefactFile file;
  Status status = ArtefactFile::open(folder / "m.fatbin", file);
  ASSERT_TRUE(status.ok()) << status.render();
  EXPECT_EQ(file.index().producer()->str(), "k3-compile 0.1.0");
  EXPECT_EQ(file.view().sections.size(), 2u);
  auto code = file.section("x86-64-v3");
  EXPECT_EQ(std::string(code.begin(), code.end()), "machine code");
  EXPECT_TRUE(file.section("none").empty());
  for (const ArtefactSection &section : file.view().sections)
    EXPECT_EQ(section.offset % 64, 0u);
}

TEST(ArtefactContainer, SameInputSameBytes) {
  EXPECT_EQ(smallArtefact(), smallArtefact());
}

TEST(ArtefactContainer, EmptyFile) {
  TempFolder folder;
  writeBytes(folder / "m.fatbin", "");
  ArtefactFile file;
  Status status = ArtefactFile::open(folder / "m.fatbin", file);
  expectError(status, 301, "m.fatbin: file is empty (wanted a k3 artefact)");
  EXPECT_EQ(status.code(), Code::BadInput);
}

TEST(ArtefactContainer, OtherKindsOfFilesAreRecognised) {
  std::string tail(100, 'x');
  expectError(read("version https://git-lfs.github.com/spec/v1\n"), 302,
              "not a k3 artefact (is a git-lfs pointer, starts with 'version "
              "https://git-lfs')\nhelp: run git lfs pull");
  expectError(read("\x7f"
                   "ELF" +
                   tail),
              302, "is an ELF object");
  expectError(read("\x89PNG\r\n\x1a\n" + tail), 302, "is a PNG image");
  expectError(read("PK\x03\x04" + tail), 302, "is a zip archive");
  expectError(read("{\"a\": 1}" + tail), 302, "is JSON text");
  expectError(read("module {\n}" + tail), 302, "compile it with k3-compile");
  expectError(read("K3FB"), 302, "not a k3 artefact");
  expectError(read(tail), 302, "(starts with 'xxxxxxxxxxxxxxxxxxxxxxx')");
}

TEST(ArtefactContainer, WrongEndianness) {
  std::string swapped = smallArtefact();
  std::reverse(swapped.begin() + 4, swapped.begin() + 8);
  expectError(read(swapped), 302, "not a k3 artefact");
  expectError(read(with<uint16_t>(smallArtefact(), 8, 0x0100)), 304,
              "artefact version 256.1");
}

TEST(ArtefactContainer, OtherMinorVersionsLoad) {
  EXPECT_TRUE(read(signedWith<uint16_t>(smallArtefact(), 10, 1)).ok());
  EXPECT_TRUE(read(signedWith<uint16_t>(smallArtefact(), 10, 65535)).ok());
}

TEST(ArtefactContainer, OtherMajorVersionsAreRefused) {
  expectError(read(signedWith<uint16_t>(smallArtefact(), 8, 2)), 304,
              "artefact version 2.1; this runtime reads 1.x\nhelp: update");
  expectError(read(signedWith<uint16_t>(smallArtefact(), 8, 0)), 304,
              "artefact version 0.1; this runtime reads 1.x\nhelp: recompile");
}

TEST(ArtefactContainer, SectionCount) {
  expectError(read(with<uint32_t>(smallArtefact(), 12, 0)), 305,
              "0 sections (wanted 1 to 64)");
  expectError(read(with<uint32_t>(smallArtefact(), 12, 0xffffffff)), 305,
              "4294967295 sections (wanted 1 to 64)");
  expectError(read(with<uint32_t>(smallArtefact(), 0, 64)), 305,
              "header size is 64 (wanted 192 for 2 sections)");
}

TEST(ArtefactContainer, ReservedFieldIsZero) {
  expectError(read(signedWith<uint64_t>(smallArtefact(), 24, 1)), 305,
              "a reserved field of the header is not zero");
}

TEST(ArtefactContainer, DamagedHeader) {
  expectError(read(with<uint16_t>(smallArtefact(), 10, 2)), 306,
              "the header is damaged (sha256 differs)");
}

TEST(ArtefactContainer, DamageNamesTheSection) {
  std::string bytes = smallArtefact();
  bytes.back() ^= 1;
  expectError(read(bytes), 306,
              "section 'x86-64-v3' is damaged (sha256 differs)");
  bytes = smallArtefact();
  bytes[192] ^= 0x80;
  expectError(read(bytes), 306, "section 'index' is damaged (sha256 differs)");
}

TEST(ArtefactContainer, TruncationNamesTheSection) {
  std::string bytes = smallArtefact();
  bytes.pop_back();
  expectError(read(bytes), 303,
              "file ends at byte " + std::to_string(bytes.size()) +
                  ", section 'x86-64-v3' needs " +
                  std::to_string(bytes.size() + 1));
}

// Offset plus size wraps around 2^64.
TEST(ArtefactContainer, SectionOutsideTheFile) {
  std::string bytes = smallArtefact();
  expectError(read(signedWith<uint64_t>(bytes, secondRow + offsetField,
                                        UINT64_MAX - 63)),
              309, "section 1 [18446744073709551552, +12) lies outside");
  expectError(
      read(signedWith<uint64_t>(bytes, firstRow + sizeField, UINT64_MAX)), 309,
      "section 0 [192, +18446744073709551615) lies outside");
  expectError(read(signedWith<uint64_t>(bytes, secondRow + sizeField, 1000000)),
              309, "lies outside the file");
}

TEST(ArtefactContainer, SectionsOverlapOrAreNotSorted) {
  std::string bytes = smallArtefact();
  expectError(read(signedWith<uint64_t>(bytes, secondRow + offsetField, 192)),
              309, "sections 0 and 1 overlap or are not sorted");
  expectError(read(signedWith<uint64_t>(bytes, firstRow + offsetField, 64)),
              309, "section 0 overlaps the header");
  expectError(read(signedWith<uint64_t>(bytes, firstRow + offsetField, 200)),
              309, "section 0 starts at byte 200 (wanted a multiple of 64)");
}

// A second file cannot hide between sections.
TEST(ArtefactContainer, BytesBetweenSections) {
  std::string bytes = smallArtefact();
  uint64_t offset = 0;
  std::memcpy(&offset, bytes.data() + secondRow + offsetField, sizeof(offset));
  ASSERT_EQ(bytes[offset - 1], 0);
  bytes[offset - 1] = 1;
  expectError(read(bytes), 310,
              "bytes before section 'x86-64-v3' are not zero");
}

TEST(ArtefactContainer, BytesBehindTheLastSection) {
  std::string bytes = smallArtefact();
  expectError(read(bytes + std::string(17, '\0')), 307,
              "17 bytes follow the last section");
  expectError(read(bytes + bytes), 307, "bytes follow the last section");
  // Also when the header counts them in.
  std::string longer = bytes + std::string(17, '\0');
  expectError(read(signedWith<uint64_t>(longer, 16, longer.size())), 307,
              "17 bytes follow the last section");
}

TEST(ArtefactContainer, SectionNames) {
  std::string bytes = smallArtefact();
  expectError(read(signedWith<char>(bytes, firstRow, '\n')), 308,
              "section 0 has a name that is not printable");
  expectError(read(signedWith<char>(bytes, firstRow, '\0')), 308,
              "section 0 has a name that is not printable");
  expectError(read(signedWith<char>(bytes, firstRow + 15, 'x')), 308,
              "section 0 has a name that is not printable");
  std::string twice = bytes;
  std::memcpy(twice.data() + secondRow, twice.data() + firstRow, 16);
  fixHeaderDigest(twice);
  expectError(read(twice), 308, "section 'index' appears twice");
}

TEST(ArtefactContainer, WriterRefusesWhatReadersWould) {
  std::string out;
  expectError(makeArtefact({}, out), 320, "0 sections");
  std::vector<SectionBytes> many(65, {"x", ""});
  expectError(makeArtefact(many, out), 320, "65 sections");
  for (const char *name : {"", "with space", "seventeen--letters", "\x80"}) {
    SectionBytes section[] = {{name, ""}};
    expectError(makeArtefact(section, out), 320, "cannot name a section");
  }
  SectionBytes twice[] = {{"a", ""}, {"a", ""}};
  expectError(makeArtefact(twice, out), 320, "cannot name a section");
}
