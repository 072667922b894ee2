// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code generation for a GPU hands to the artefact.

#ifndef K3_ARTEFACT_GPUCODE_H
#define K3_ARTEFACT_GPUCODE_H

#include "k3/Artefact/Plan.h"

namespace k3 {

/// One kernel's code and launch, as docs/ArtefactFormat.md describes them.
/// Kernels may share an image: the same bytes are stored once.
struct GpuKernelCode {
  std::string kernel; ///< the symbol of the k3.kernel_func
  std::string entry;  ///< the function's name in the images
  std::string ptx;    ///< text; may be empty when there is a cubin
  std::string cubin;  ///< may be empty when there is PTX
  unsigned threads = 0;
  unsigned shared = 0; ///< bytes of dynamic shared memory
  unsigned cluster = 1;
  unsigned workgroupsPerBlock = 1;
  /// Bytes of global memory a workgroup, a multiple of 64.
  uint64_t scratch = 0;
  /// Replaces the grid of the command.
  std::optional<plan::GpuGrid> grid;
};

/// The code of all kernels for one target: "sm_90a" (cubins for that machine,
/// PTX to be compiled by its driver) or "compute_80" (PTX only, for every
/// later machine).
struct GpuCode {
  std::string target;
  /// The least CUDA driver that takes it, 13000 for 13.0; 0: any.
  unsigned driver = 0;
  std::vector<GpuKernelCode> kernels;
};

/// Adds `code` to the plan as its last code object and gives the bytes of its
/// section. Refuses what a reader would refuse.
Status addGpuCode(const GpuCode &code, plan::Artefact &artefact,
                  std::string &section);

} // namespace k3

#endif // K3_ARTEFACT_GPUCODE_H
