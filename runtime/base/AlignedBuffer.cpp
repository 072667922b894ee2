// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// aligned_alloc, which wants whole multiples of the alignment.

#include "runtime/base/AlignedBuffer.h"

#include <cstdlib>

using namespace k3;

AlignedBuffer::~AlignedBuffer() { std::free(block); }

Status AlignedBuffer::allocate(uint64_t bytes, std::string_view what,
                               AlignedBuffer &out) {
  AlignedBuffer buffer;
  void *memory = nullptr;
  if (bytes <= SIZE_MAX / 2)
    memory = std::aligned_alloc(alignment,
                                (bytes + alignment) / alignment * alignment);
  if (!memory)
    return Status::error(Code::Resources, 620,
                         std::string(what) + " needs " + std::to_string(bytes) +
                             " bytes of memory, which are not there");
  buffer.block = static_cast<uint8_t *>(memory);
  buffer.count = bytes;
  out = std::move(buffer);
  return {};
}
