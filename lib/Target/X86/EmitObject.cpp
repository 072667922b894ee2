// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm dialect -> LLVM IR -> relocatable object, with what it may call checked.

#include "CodeGenerator.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Object/ObjectFile.h"

using namespace mlir;
using namespace k3;

static constexpr llvm::StringLiteral provided[] = {"memcpy", "memmove",
                                                   "memset"};

void k3::registerObjectDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static k3::Status internal(const llvm::Twine &text) {
  return k3::Status::error(Code::Internal, 590, text.str());
}

/// Errors that LLVM reports by itself, in place of its default of exiting.
namespace {
struct CollectErrors : llvm::DiagnosticHandler {
  explicit CollectErrors(std::string &first) : first(first) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && first.empty()) {
      llvm::raw_string_ostream stream(first);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
  std::string &first;
};
} // namespace

/// Leaves the kernels visible and everything else private to the module.
static k3::Status setVisibility(llvm::Module &module,
                                llvm::ArrayRef<std::string> kernels) {
  for (const std::string &name : kernels) {
    llvm::Function *function = module.getFunction(name);
    if (!function || function->isDeclaration())
      return internal("kernel '" + name + "' has no code");
  }
  for (llvm::GlobalValue &value : module.global_values()) {
    if (value.isDeclaration())
      continue;
    bool exported = llvm::is_contained(kernels, value.getName());
    value.setLinkage(exported ? llvm::GlobalValue::ExternalLinkage
                              : llvm::GlobalValue::InternalLinkage);
    value.setDSOLocal(true);
  }
  return {};
}

/// Names of the functions that the object wants from elsewhere.
static k3::Status checkImports(llvm::StringRef bytes) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "kernel"));
  if (!file)
    return internal(llvm::toString(file.takeError()));
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      return internal("unreadable symbol in a kernel object");
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() &&
        !llvm::is_contained(provided, *name))
      return internal("kernel code imports '" + *name +
                      "' (wanted nothing but memory routines)");
  }
  return {};
}

k3::Status k3::emitObject(ModuleOp module, const CpuTarget &target,
                          llvm::ArrayRef<std::string> kernels, bool wantText,
                          KernelObject &object) {
  CodeGenerator generator;
  K3_TRY(generator.open(target));
  llvm::LLVMContext context;
  std::string error;
  context.setDiagnosticHandler(std::make_unique<CollectErrors>(error));
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "k3");
  if (!code)
    return internal("translation to LLVM IR failed");
  K3_TRY(setVisibility(*code, kernels));
  K3_TRY(generator.run(*code, wantText, object));
  if (!error.empty())
    return internal(error);
  return checkImports(object.bytes);
}

k3::Status k3::compileToSharedObject(ModuleOp module, const CpuTarget &target,
                                     llvm::ArrayRef<std::string> kernels,
                                     std::string &image) {
  KernelObject object;
  K3_TRY(emitObject(module, target, kernels, /*wantText=*/false, object));
  return linkKernels(object.bytes, target, kernels, image);
}
