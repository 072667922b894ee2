// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of an artefact's GPU code objects a device runs.

#ifndef K3_RUNTIME_DEVICE_CUDA_SELECTCODE_H
#define K3_RUNTIME_DEVICE_CUDA_SELECTCODE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace k3::cuda {

/// A code object of the artefact, of a GPU or not.
struct GpuVariant {
  std::string target;
  unsigned driver = 0; ///< the least it needs
  bool hasPtx = false; ///< for every kernel
};

/// The machine that code is looked for.
struct Machine {
  std::string name; ///< for messages
  int major = 0, minor = 0;
  int driver = 0;
};

/// Sets `out` to the variant to run: the one named by `wanted`, or, when that
/// is empty, the best one. Machine code for exactly this capability comes
/// first, then other machine code that fits, then PTX, the latest first.
Status selectCode(std::span<const GpuVariant> variants, const Machine &machine,
                  const std::string &wanted, size_t &out);

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_SELECTCODE_H
