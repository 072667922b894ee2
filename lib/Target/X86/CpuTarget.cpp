// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of x86-64 levels. Code is for the level, not for one machine: the
// psABI names are LLVM's -mcpu names, and what a level has on top is listed.

#include "k3/Target/X86/CpuTarget.h"

#include "llvm/ADT/STLExtras.h"

using namespace k3;

namespace {

constexpr llvm::StringRef requiredV4[] = {
    "avx2",     "fma",      "f16c",     "bmi2",     "avx512f",
    "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512bf16"};
constexpr llvm::StringRef requiredV3[] = {"avx2", "fma", "f16c", "bmi2"};

const CpuTarget targets[] = {
    {"x86-64-v4", "x86-64-v4", "+avx512bf16,-prefer-256-bit",
     /*vectorWidth=*/16, /*vectorRegisters=*/32, /*hasBf16Dot=*/true,
     requiredV4},
    {"x86-64-v3", "x86-64-v3", "", /*vectorWidth=*/8, /*vectorRegisters=*/16,
     /*hasBf16Dot=*/false, requiredV3},
};

} // namespace

llvm::ArrayRef<CpuTarget> k3::cpuTargets() { return targets; }

const CpuTarget *k3::findCpuTarget(llvm::StringRef name) {
  const CpuTarget *found = llvm::find_if(
      targets, [&](const CpuTarget &target) { return target.name == name; });
  return found == std::end(targets) ? nullptr : found;
}
