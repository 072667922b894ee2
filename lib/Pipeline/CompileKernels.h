// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases behind `outline`: each kernel for each CPU level by itself, so
// that all threads have work and one kernel's code does not depend on others.

#ifndef K3_LIB_PIPELINE_COMPILEKERNELS_H
#define K3_LIB_PIPELINE_COMPILEKERNELS_H

#include "k3/Pipeline/Pipeline.h"
#include "k3/Target/X86/KernelObject.h"

namespace k3 {

/// One kernel for one level.
struct CompiledKernel {
  LoweredKernel lowered;
  KernelObject object;
  std::string loops; ///< IR after `lower`, when it was asked for
  std::string llvm;  ///< IR after `llvm`, when it was asked for
};

/// All kernels for one level, in the order of the module.
struct CompiledLevel {
  const CpuTarget *target = nullptr;
  std::vector<CompiledKernel> kernels;
};

/// Compiles every k3.kernel_func of an outlined module for every level, up to
/// the phase `options.stopAfter`. `wantText` keeps the IR of each phase.
Status compileKernels(mlir::ModuleOp module, const CompileOptions &options,
                      bool wantText, std::vector<CompiledLevel> &levels);

} // namespace k3

#endif // K3_LIB_PIPELINE_COMPILEKERNELS_H
