// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a safetensors file. What is accepted must keep its promises.

#include "runtime/format/SafetensorsHeader.h"

#include <cstdlib>

using namespace k3;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    std::abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const uint8_t> file(data, size);
  uint64_t length = 0;
  Status status = readHeaderLength(file, size, length);
  SafetensorsHeader header;
  uint64_t dataBytes = 0;
  if (status.ok()) {
    dataBytes = size - 8 - length;
    status = parseSafetensorsHeader(file.subspan(8, length), dataBytes, header);
  }
  if (!status.ok()) {
    require(status.code() == Code::BadInput && !status.render().empty());
    require(status.render().find('\n') == std::string::npos ||
            !status.help().empty());
    return 0;
  }
  uint64_t end = 0;
  for (const SafetensorsTensor &tensor : header.tensors) {
    require(tensor.begin == end && tensor.end >= end);
    uint64_t bytes = safetensorsElementBytes(tensor.dtype);
    for (int64_t dim : tensor.shape)
      bytes *= uint64_t(dim);
    require(bytes == tensor.bytes());
    end = tensor.end;
  }
  require(end == dataBytes);
  return 0;
}
