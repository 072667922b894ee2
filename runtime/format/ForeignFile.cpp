// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of beginnings.

#include "runtime/format/ForeignFile.h"

#include "runtime/base/Escape.h"

#include <algorithm>
#include <string_view>

using namespace k3;
using namespace std::string_view_literals;

namespace {

struct Row {
  std::string_view beginning;
  const char *kind, *help;
};

constexpr const char *pickle = "convert the model to safetensors";

constexpr Row rows[] = {
    {"version https://git-lfs"sv, "a git-lfs pointer", "run git lfs pull"},
    {"\x7f"
     "ELF"sv,
     "an ELF object", ""},
    {"\x89PNG"sv, "a PNG image", ""},
    {"PK\x03\x04"sv, "a zip archive",
     "if it is a pickle checkpoint, convert "
     "it to safetensors"},
    {"\x1f\x8b"sv, "a gzip file", "unpack it first"},
    {"GGUF"sv, "a GGUF model", ""},
    {"K3FB"sv, "the index of a k3 artefact", ""},
    {"ML\xefR"sv, "MLIR bytecode", "compile it with k3-compile"},
    {"BC\xc0\xde"sv, "LLVM bitcode", ""},
    {"\x80\x02"sv, "a pickle", pickle},
    {"\x80\x04"sv, "a pickle", pickle},
    {"module"sv, "MLIR text", "compile it with k3-compile"},
    {"<!DOCTYPE"sv, "an HTML page", ""},
    {"<html"sv, "an HTML page", ""},
    {"{"sv, "JSON text", ""},
};

} // namespace

ForeignFile k3::recognise(std::span<const uint8_t> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  for (const Row &row : rows)
    if (text.substr(0, row.beginning.size()) == row.beginning)
      return {row.kind, row.help};
  return {};
}

std::string k3::beginningOf(std::span<const uint8_t> bytes) {
  constexpr size_t most = 23;
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        std::min(bytes.size(), most));
  return "starts with '" + escaped(text) + "'";
}
