// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large blocks ask for huge pages: a state pool or workspace of gigabytes
// would otherwise miss the TLB on every row.

#include "runtime/device/cpu/Memory.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace k3;
using namespace k3::cpu;

namespace {

constexpr uint64_t hugePage = uint64_t(2) << 20;

uint64_t physicalBytes() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? uint64_t(pages) * uint64_t(size) : UINT64_MAX;
}

} // namespace

std::string k3::cpu::sizeText(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  const char *units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = double(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", value, units[unit]);
  return text;
}

Memory::~Memory() { std::free(block); }

Status Memory::reserve(uint64_t wanted, const std::string &what) {
  if (wanted <= bytes)
    return {};
  uint64_t step = wanted >= 2 * hugePage ? hugePage : alignment;
  uint8_t *fresh = nullptr;
  // What exceeds the machine's memory is refused here, before the allocator
  // promises pages it cannot deliver.
  if (wanted <= physicalBytes()) {
    uint64_t rounded = (wanted + step - 1) / step * step;
    std::free(std::exchange(block, nullptr));
    bytes = 0;
    fresh = static_cast<uint8_t *>(std::aligned_alloc(step, rounded));
    wanted = rounded;
  }
  if (!fresh)
    return Status::error(Code::Resources, 423,
                         what + ": cannot allocate " + sizeText(wanted));
  if (step == hugePage)
    madvise(fresh, wanted, MADV_HUGEPAGE);
  block = fresh;
  bytes = wanted;
  return {};
}
