// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of GPU targets, and the limits of a launch that no device exceeds.

#ifndef K3_RUNTIME_FORMAT_GPUCODE_H
#define K3_RUNTIME_FORMAT_GPUCODE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace k3 {

/// A compute capability by name: "sm_90", "sm_90a" (that capability alone),
/// "sm_100f" (its family), "compute_80" (PTX, for that capability and later).
struct GpuCapability {
  bool isVirtual = false;
  int major = 0, minor = 0;
  char suffix = 0; ///< 'a', 'f' or none

  /// Whether a device runs its machine code as it is.
  bool fits(int deviceMajor, int deviceMinor) const;
  /// Whether a driver can compile its PTX for a device.
  bool compilesFor(int deviceMajor, int deviceMinor) const;
};

/// Nothing when `name` is not of that form.
std::optional<GpuCapability> parseGpuCapability(std::string_view name);

namespace gpu {

constexpr uint64_t imageAlignment = 64, scratchAlignment = 64;
constexpr uint32_t mostThreads = 1024, mostShared = 1 << 20, mostCluster = 16,
                   mostWorkgroupsPerBlock = 1 << 20;
constexpr uint64_t mostScratch = uint64_t(1) << 30;
constexpr int64_t mostMultiplier = int64_t(1) << 31;
/// Of a kernel: buffers, dims, the number of workgroups, scratch.
constexpr uint64_t mostParameters = 512;

} // namespace gpu

} // namespace k3

#endif // K3_RUNTIME_FORMAT_GPUCODE_H
