// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The NVIDIA architectures that kernels are compiled for.

#ifndef K3_TARGET_NVPTX_GPUTARGET_H
#define K3_TARGET_NVPTX_GPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace k3 {

/// What lowering and code generation need to know of an architecture.
struct GpuTarget {
  llvm::StringRef name;       ///< "sm_90a"; LLVM's -mcpu and ptxas's --gpu-name
  llvm::StringRef ptxFeature; ///< LLVM's -mattr: the oldest PTX ISA that has it
  llvm::StringRef ptxVersion; ///< the same, as a PTX file states it: "8.0"
  unsigned sharedBytes;       ///< most dynamic shared memory of one workgroup
  bool hasWgmma;              ///< warpgroup matrix products (Hopper only)
  bool hasBulkCopy; ///< cp.async.bulk, mbarrier transactions, clusters
};

/// Every architecture, oldest first.
llvm::ArrayRef<GpuTarget> gpuTargets();

/// The architecture of that name; null if there is none.
const GpuTarget *findGpuTarget(llvm::StringRef name);

} // namespace k3

#endif // K3_TARGET_NVPTX_GPUTARGET_H
