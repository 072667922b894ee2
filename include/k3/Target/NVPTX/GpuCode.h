// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in the llvm and nvvm dialects -> PTX -> machine code for one NVIDIA
// architecture.

#ifndef K3_TARGET_NVPTX_GPUCODE_H
#define K3_TARGET_NVPTX_GPUCODE_H

#include "k3/Target/NVPTX/GpuTarget.h"
#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace k3 {

/// Registers what translation to LLVM IR needs. Call it before the context is
/// used by more than one thread.
void registerGpuCodeDialects(mlir::DialectRegistry &registry);

/// The PTX of one module, and the LLVM IR behind it when it was asked for.
struct PtxCode {
  std::string ptx;
  std::string ir;
};

/// Compiles a module of llvm-dialect functions. Those with `nvvm.kernel` are
/// entries; the rest becomes private. The code may call nothing from outside,
/// because LLVM would turn that into an undefined reference in silence. The
/// text depends on the module and the target alone. Thread-safe for different
/// modules of one context.
Status emitPtx(mlir::ModuleOp module, const GpuTarget &target, bool wantText,
               PtxCode &code);

/// What the assembler says one kernel needs.
struct KernelResources {
  std::string entry;
  unsigned registers = 0;   ///< a thread
  unsigned spillBytes = 0;  ///< stores to and loads from local memory
  unsigned stackBytes = 0;  ///< local memory a thread
  unsigned sharedBytes = 0; ///< static
};

struct AssembledCode {
  std::string cubin;
  std::vector<KernelResources> kernels;
  std::vector<std::string> warnings; ///< the assembler's, as it words them
};

/// The path of ptxas: in $CUDA_PATH/bin, $CUDA_HOME/bin, $PATH or
/// /usr/local/cuda/bin; empty when there is none.
std::string findAssembler();

/// Runs ptxas on `ptx`.
Status assemblePtx(llvm::StringRef assembler, llvm::StringRef ptx,
                   const GpuTarget &target, AssembledCode &code);

} // namespace k3

#endif // K3_TARGET_NVPTX_GPUCODE_H
