// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds to an artefact for CPUs the same machine code as code for a GPU, which
// the fake libcuda runs.

#ifndef K3_TEST_SUPPORT_FAKEGPUARTEFACT_H
#define K3_TEST_SUPPORT_FAKEGPUARTEFACT_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>

namespace k3::fake {

struct GpuChange {
  std::string target = "sm_90a";
  /// The CPU code that is copied; empty: the first.
  std::string source;
  /// A file to write the image to, so that it is PTX instead of a cubin.
  std::string ptxFile;
  /// Real PTX instead of what the fake runs, with functions "<kernel>_gpu".
  std::string ptx;
  uint32_t threads = 128, shared = 0, cluster = 1, workgroupsPerBlock = 1;
  uint32_t driver = 0;
  /// Whether launches repeat the grid of the commands, where all agree.
  bool withGrid = false;
  /// Of one kernel: no launch, another name of its function.
  std::string withoutKernel, wrongEntry;
  /// The image is not one that the fake loads.
  bool damaged = false;
};

Status addFakeGpuCode(const std::string &artefact, const GpuChange &change,
                      std::string &out);

} // namespace k3::fake

#endif // K3_TEST_SUPPORT_FAKEGPUARTEFACT_H
