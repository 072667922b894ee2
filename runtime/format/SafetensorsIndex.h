// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// model.safetensors.index.json: which shard holds which tensor.

#ifndef K3_RUNTIME_FORMAT_SAFETENSORSINDEX_H
#define K3_RUNTIME_FORMAT_SAFETENSORSINDEX_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace k3 {

/// The longest index that is read.
constexpr uint64_t mostIndexBytes = 400'000'000;

struct SafetensorsIndex {
  struct Place {
    std::string tensor;
    uint32_t shard; ///< in `shards`
  };
  std::vector<std::string> shards; ///< sorted, each once
  std::vector<Place> tensors;      ///< as in the file, each name once
};

/// Parses the index. Shard names are paths beneath the model folder: relative,
/// without '..', '.' or empty parts.
Status parseSafetensorsIndex(std::span<const uint8_t> json,
                             SafetensorsIndex &out);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_SAFETENSORSINDEX_H
