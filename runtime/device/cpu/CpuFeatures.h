// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction-set extensions that this CPU and its kernel offer, by
// LLVM's names ("avx512bf16").

#ifndef K3_RUNTIME_DEVICE_CPU_CPUFEATURES_H
#define K3_RUNTIME_DEVICE_CPU_CPUFEATURES_H

#include <set>
#include <string>
#include <string_view>

namespace k3::cpu {

/// A set of feature names. A name that this runtime does not know is absent,
/// so code that asks for it is not run.
class CpuFeatures {
public:
  CpuFeatures() = default;
  explicit CpuFeatures(std::set<std::string, std::less<>> names)
      : names(std::move(names)) {}

  /// Asks the CPU (cpuid) and the kernel (which registers it saves).
  static CpuFeatures detect();

  bool has(std::string_view name) const { return names.count(name) != 0; }

private:
  std::set<std::string, std::less<>> names;
};

} // namespace k3::cpu

#endif // K3_RUNTIME_DEVICE_CPU_CPUFEATURES_H
