// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of NVIDIA architectures. Every pair of architecture and PTX version
// in it is one that LLVM accepts: it aborts on any other.

#include "k3/Target/NVPTX/GpuTarget.h"

#include "llvm/ADT/STLExtras.h"

using namespace k3;

static constexpr unsigned KiB = 1024;

static const GpuTarget targets[] = {
    // name, LLVM's PTX feature, PTX version, shared memory, wgmma, bulk copies
    {"sm_75", "+ptx63", "6.3", 64 * KiB, false, false},
    {"sm_80", "+ptx70", "7.0", 163 * KiB, false, false},
    {"sm_86", "+ptx71", "7.1", 99 * KiB, false, false},
    {"sm_89", "+ptx78", "7.8", 99 * KiB, false, false},
    {"sm_90", "+ptx80", "8.0", 227 * KiB, false, true},
    {"sm_90a", "+ptx80", "8.0", 227 * KiB, true, true},
    {"sm_100", "+ptx86", "8.6", 227 * KiB, false, true},
    {"sm_100a", "+ptx86", "8.6", 227 * KiB, false, true},
    {"sm_103", "+ptx88", "8.8", 227 * KiB, false, true},
    {"sm_103a", "+ptx88", "8.8", 227 * KiB, false, true},
    {"sm_120", "+ptx87", "8.7", 99 * KiB, false, true},
    {"sm_120a", "+ptx87", "8.7", 99 * KiB, false, true},
    {"sm_121", "+ptx88", "8.8", 99 * KiB, false, true},
    {"sm_121a", "+ptx88", "8.8", 99 * KiB, false, true},
};

llvm::ArrayRef<GpuTarget> k3::gpuTargets() { return targets; }

const GpuTarget *k3::findGpuTarget(llvm::StringRef name) {
  const GpuTarget *found = llvm::find_if(
      targets, [&](const GpuTarget &target) { return target.name == name; });
  return found == std::end(targets) ? nullptr : found;
}
