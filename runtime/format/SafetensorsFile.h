// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An open safetensors file: a verified header, and data read in pieces.

#ifndef K3_RUNTIME_FORMAT_SAFETENSORSFILE_H
#define K3_RUNTIME_FORMAT_SAFETENSORSFILE_H

#include "runtime/base/File.h"
#include "runtime/format/SafetensorsHeader.h"

namespace k3 {

class SafetensorsFile {
public:
  static Status open(const std::string &path, SafetensorsFile &out);
  static Status open(InputFile file, SafetensorsFile &out);

  const SafetensorsHeader &header() const { return head; }
  const std::string &path() const { return file.path(); }
  const InputFile &input() const { return file; }
  /// Null when there is none of that name. Takes time with many tensors.
  const SafetensorsTensor *find(std::string_view name) const;
  /// Fills `out` with bytes of a tensor, from `offset` inside it.
  Status read(const SafetensorsTensor &tensor, uint64_t offset,
              std::span<uint8_t> out) const;

private:
  InputFile file;
  SafetensorsHeader head;
  uint64_t dataBegin = 0;
};

} // namespace k3

#endif // K3_RUNTIME_FORMAT_SAFETENSORSFILE_H
