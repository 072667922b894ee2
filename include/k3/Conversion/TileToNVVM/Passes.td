// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef K3_CONVERSION_TILETONVVM_PASSES
#define K3_CONVERSION_TILETONVVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToNVVM : Pass<"convert-k3t-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Turn tiles into one thread's vectors and instructions";
  let description = [{
    Functions with `k3t.warps` become kernels of one thread: each tile is a
    vector in the order of its layout, each buffer a pointer into one dynamic
    allocation of shared memory, whose size is left in `k3t.shared_bytes`.
    Roles must have been split. What is left are arith, scf, vector, llvm and
    nvvm.

    Refused: more shared memory than `shared-limit`.
  }];
  let options = [
    Option<"sharedLimit", "shared-limit", "int64_t", "232448",
           "bytes of shared memory that a workgroup may have">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def MarkKernels : Pass<"k3t-mark-kernels", "::mlir::ModuleOp"> {
  let summary = "Make llvm functions with `k3t.warps` entries of the GPU";
  let description = [{
    Sets the calling convention, the number of threads, the workgroups that a
    multiprocessor should hold (`k3t.workgroups`, else one) and that F32
    operations flush denormals, as the approximate instructions do.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // K3_CONVERSION_TILETONVVM_PASSES
