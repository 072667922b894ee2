// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3t kernels -> llvm and nvvm dialects.

#ifndef K3_CONVERSION_TILETONVVM_PASSES_H
#define K3_CONVERSION_TILETONVVM_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace k3::tile {
#define GEN_PASS_DECL
#include "k3/Conversion/TileToNVVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "k3/Conversion/TileToNVVM/Passes.h.inc"

/// Everything from k3t with roles to the llvm dialect.
void addTileToLLVM(mlir::OpPassManager &pm);
/// The same as a pipeline, --k3t-to-llvm.
void registerTileToLLVM();

} // namespace k3::tile

#endif // K3_CONVERSION_TILETONVVM_PASSES_H
