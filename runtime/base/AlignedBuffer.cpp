// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// aligned_alloc, which wants whole multiples of the alignment. Large blocks ask
// for huge pages: weights are read once a step, and would miss the TLB.

#include "runtime/base/AlignedBuffer.h"

#include <cstdlib>
#include <sys/mman.h>

using namespace k3;

static constexpr uint64_t hugePage = uint64_t(2) << 20;

AlignedBuffer::~AlignedBuffer() { std::free(block); }

Status AlignedBuffer::allocate(uint64_t bytes, std::string_view what,
                               AlignedBuffer &out) {
  AlignedBuffer buffer;
  void *memory = nullptr;
  uint64_t step = bytes >= 2 * hugePage ? hugePage : alignment;
  if (bytes <= SIZE_MAX / 2)
    memory = std::aligned_alloc(step, (bytes + step) / step * step);
  if (!memory)
    return Status::error(Code::Resources, 620,
                         std::string(what) + " needs " + std::to_string(bytes) +
                             " bytes of memory, which are not there");
  if (step == hugePage)
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
  buffer.block = static_cast<uint8_t *>(memory);
  buffer.count = bytes;
  out = std::move(buffer);
  return {};
}
