// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as model.safetensors.index.json.

#include "runtime/format/SafetensorsIndex.h"

#include <cstdlib>

using namespace k3;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    std::abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SafetensorsIndex index;
  Status status = parseSafetensorsIndex({data, size}, index);
  if (!status.ok()) {
    require(status.code() == Code::BadInput && !status.render().empty());
    return 0;
  }
  for (const SafetensorsIndex::Place &place : index.tensors)
    require(place.shard < index.shards.size());
  for (const std::string &shard : index.shards) {
    std::string path = "/" + shard + "/";
    require(shard[0] != '/' && path.find("/../") == std::string::npos &&
            path.find("//") == std::string::npos);
  }
  return 0;
}
