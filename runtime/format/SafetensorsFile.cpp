// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight bytes of header length, the header, the data.

#include "runtime/format/SafetensorsFile.h"

#include "runtime/base/Escape.h"

#include <algorithm>

using namespace k3;

namespace {

constexpr uint64_t lengthBytes = 8;

Status readHeader(const InputFile &file, uint64_t &dataBegin,
                  SafetensorsHeader &header) {
  // More than the length, to recognise files of other kinds.
  uint8_t first[32];
  uint64_t size = file.size(), length = 0;
  std::span<uint8_t> start(first, std::min<uint64_t>(size, sizeof(first)));
  K3_TRY(file.read(0, start));
  K3_TRY(readHeaderLength(start, size, length).in(escaped(file.path())));
  std::vector<uint8_t> json(length);
  K3_TRY(file.read(lengthBytes, json));
  dataBegin = lengthBytes + length;
  return parseSafetensorsHeader(json, size - dataBegin, header)
      .in(escaped(file.path()));
}

} // namespace

Status SafetensorsFile::open(const std::string &path, SafetensorsFile &out) {
  InputFile file;
  K3_TRY(InputFile::open(path, file));
  return open(std::move(file), out);
}

Status SafetensorsFile::open(InputFile input, SafetensorsFile &out) {
  SafetensorsFile file;
  K3_TRY(readHeader(input, file.dataBegin, file.head));
  file.file = std::move(input);
  out = std::move(file);
  return {};
}

const SafetensorsTensor *SafetensorsFile::find(std::string_view name) const {
  for (const SafetensorsTensor &tensor : head.tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

Status SafetensorsFile::read(const SafetensorsTensor &tensor, uint64_t offset,
                             std::span<uint8_t> out) const {
  if (offset > tensor.bytes() || out.size() > tensor.bytes() - offset)
    return Status::error(Code::Internal, 690,
                         "a read lies outside of " + quote(tensor.name));
  return file.read(dataBegin + tensor.begin + offset, out);
}
