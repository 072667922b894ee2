// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of an artefact's code objects this CPU runs.

#ifndef K3_RUNTIME_DEVICE_CPU_SELECTCODE_H
#define K3_RUNTIME_DEVICE_CPU_SELECTCODE_H

#include "runtime/base/Status.h"
#include "runtime/device/cpu/CpuFeatures.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace k3::cpu {

/// One machine-code variant: its target and what it needs beyond the target.
struct CodeVariant {
  std::string target;
  std::vector<std::string> features;
};

/// Sets `out` to the index of the variant to run: the one named by `wanted`,
/// or, when that is empty, the best one that `cpu` has every feature of.
Status selectCode(std::span<const CodeVariant> variants, const CpuFeatures &cpu,
                  const std::string &wanted, size_t &out);

} // namespace k3::cpu

#endif // K3_RUNTIME_DEVICE_CPU_SELECTCODE_H
