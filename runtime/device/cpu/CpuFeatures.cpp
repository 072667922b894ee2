// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpuid bits by name. AVX and AVX-512 also need the kernel to save the wide
// registers, which XCR0 tells.

#include "runtime/device/cpu/CpuFeatures.h"

#include <cpuid.h>

using namespace k3::cpu;

namespace {

enum Register { Eax, Ebx, Ecx, Edx };

/// Which register state the kernel must save for the feature to be usable.
enum Saved { General, Ymm, Zmm, Tile };

struct Bit {
  const char *name;
  unsigned leaf, subleaf;
  Register reg;
  unsigned bit;
  Saved saved;
};

constexpr Bit bits[] = {
    {"sse3", 1, 0, Ecx, 0, General},
    {"ssse3", 1, 0, Ecx, 9, General},
    {"fma", 1, 0, Ecx, 12, Ymm},
    {"cx16", 1, 0, Ecx, 13, General},
    {"sse4.1", 1, 0, Ecx, 19, General},
    {"sse4.2", 1, 0, Ecx, 20, General},
    {"movbe", 1, 0, Ecx, 22, General},
    {"popcnt", 1, 0, Ecx, 23, General},
    {"avx", 1, 0, Ecx, 28, Ymm},
    {"f16c", 1, 0, Ecx, 29, Ymm},
    {"bmi", 7, 0, Ebx, 3, General},
    {"avx2", 7, 0, Ebx, 5, Ymm},
    {"bmi2", 7, 0, Ebx, 8, General},
    {"avx512f", 7, 0, Ebx, 16, Zmm},
    {"avx512dq", 7, 0, Ebx, 17, Zmm},
    {"avx512ifma", 7, 0, Ebx, 21, Zmm},
    {"avx512cd", 7, 0, Ebx, 28, Zmm},
    {"avx512bw", 7, 0, Ebx, 30, Zmm},
    {"avx512vl", 7, 0, Ebx, 31, Zmm},
    {"avx512vbmi", 7, 0, Ecx, 1, Zmm},
    {"avx512vbmi2", 7, 0, Ecx, 6, Zmm},
    {"gfni", 7, 0, Ecx, 8, General},
    {"avx512vnni", 7, 0, Ecx, 11, Zmm},
    {"avx512bitalg", 7, 0, Ecx, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Zmm},
    {"amx-bf16", 7, 0, Edx, 22, Tile},
    {"avx512fp16", 7, 0, Edx, 23, Zmm},
    {"amx-tile", 7, 0, Edx, 24, Tile},
    {"amx-int8", 7, 0, Edx, 25, Tile},
    {"avxvnni", 7, 1, Eax, 4, Ymm},
    {"avx512bf16", 7, 1, Eax, 5, Zmm},
    {"sahf", 0x80000001, 0, Ecx, 0, General},
    {"lzcnt", 0x80000001, 0, Ecx, 5, General},
};

/// XCR0: bits 1-2 are the XMM and YMM halves, 5-7 the mask and ZMM registers,
/// 17-18 the AMX tiles.
uint64_t savedRegisters() {
  unsigned eax, ebx, ecx, edx;
  constexpr unsigned osxsave = 1u << 27;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & osxsave))
    return 0;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

uint64_t mask(Saved saved) {
  constexpr uint64_t ymm = 0x6, zmm = ymm | 0xe0, tile = 0x60000;
  switch (saved) {
  case General:
    return 0;
  case Ymm:
    return ymm;
  case Zmm:
    return zmm;
  case Tile:
    return tile;
  }
  return ~uint64_t(0);
}

} // namespace

CpuFeatures CpuFeatures::detect() {
  std::set<std::string, std::less<>> names;
  uint64_t saved = savedRegisters();
  for (const Bit &bit : bits) {
    unsigned regs[4] = {};
    if (!__get_cpuid_count(bit.leaf, bit.subleaf, &regs[0], &regs[1], &regs[2],
                           &regs[3]))
      continue;
    uint64_t needed = mask(bit.saved);
    if ((regs[bit.reg] >> bit.bit & 1) && (saved & needed) == needed)
      names.insert(bit.name);
  }
  return CpuFeatures(std::move(names));
}
