// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One fused kernel by itself, for those who launch it from their own engine.

#ifndef K3_STANDALONE_STANDALONEKERNEL_H
#define K3_STANDALONE_STANDALONEKERNEL_H

#include "k3/Schedule/KdaKernels.h"
#include "k3/Schedule/MatmulKernel.h"
#include "k3/Target/NVPTX/GpuCode.h"

namespace k3 {

/// The sizes of every kind of kernel; a kernel reads its own.
struct StandaloneShape {
  KdaShape kda;
  MatmulShape matmul;
};

/// What a launch needs to know, beside the arguments in the schedules' headers.
struct StandaloneKernel {
  std::string entry;
  int64_t threads = 0;     ///< of a workgroup
  int64_t sharedBytes = 0; ///< dynamic shared memory
  std::string tiles;       ///< the k3t program
  std::string llvmDialect; ///< after lowering
  PtxCode code;
};

/// Registers all that buildStandaloneKernel makes.
void registerStandaloneDialects(mlir::DialectRegistry &registry);

/// The kernels there are.
llvm::ArrayRef<llvm::StringRef> standaloneKernels();

/// `name` is one of these. Diagnostics of the context say why it
/// fails; `status` is an error without a diagnostic.
Status buildStandaloneKernel(mlir::MLIRContext &context, llvm::StringRef name,
                             const StandaloneShape &shape,
                             const GpuTarget &target, StandaloneKernel &kernel);

} // namespace k3

#endif // K3_STANDALONE_STANDALONEKERNEL_H
