// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in memory as a safetensors file.

#ifndef K3_RUNTIME_FORMAT_SAFETENSORSWRITER_H
#define K3_RUNTIME_FORMAT_SAFETENSORSWRITER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace k3 {

struct TensorBytes {
  std::string name, dtype;
  std::vector<int64_t> shape;
  std::span<const uint8_t> bytes;
};

/// Eight bytes of length and the header of a file that holds the tensors in
/// the order of their names. Names must be unique, and bytes fit the shape.
Status makeSafetensorsHeader(std::span<const TensorBytes> tensors,
                             const std::map<std::string, std::string> &metadata,
                             std::string &out);

/// Writes the file; it appears whole or not at all, and "-" is the standard
/// output. Tensors are sorted by name, so the same tensors give the same bytes.
Status writeSafetensors(const std::string &path,
                        std::span<const TensorBytes> tensors,
                        const std::map<std::string, std::string> &metadata);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_SAFETENSORSWRITER_H
