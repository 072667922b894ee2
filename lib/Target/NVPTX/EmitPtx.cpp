// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm and nvvm dialects -> LLVM IR -> PTX.

#include "PtxGenerator.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;
using namespace k3;

void k3::registerGpuCodeDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

k3::Status k3::emitPtx(ModuleOp module, const GpuTarget &target, bool wantText,
                       PtxCode &code) {
  PtxGenerator generator;
  K3_TRY(generator.open(target));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "k3");
  if (!translated)
    return k3::Status::error(Code::Internal, 590,
                             "translation to LLVM IR failed");
  return generator.run(*translated, wantText, code);
}
