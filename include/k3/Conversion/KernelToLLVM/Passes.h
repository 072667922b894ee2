// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that turn kernels into functions of the llvm dialect.

#ifndef K3_CONVERSION_KERNELTOLLVM_PASSES_H
#define K3_CONVERSION_KERNELTOLLVM_PASSES_H

#include "k3/Target/X86/CpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/Pass/Pass.h"

namespace k3 {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "k3/Conversion/KernelToLLVM/Passes.h.inc"

/// All passes from loops to the llvm dialect, for one CPU level.
void buildLowerToLLVM(mlir::OpPassManager &passes, const CpuTarget &target);

/// Registers the above as the pipeline `k3-lower-to-llvm`.
void registerLowerToLLVM();

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_PASSES_H
