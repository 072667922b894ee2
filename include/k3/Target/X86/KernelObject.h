// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in the llvm dialect -> machine code for one CPU level.

#ifndef K3_TARGET_X86_KERNELOBJECT_H
#define K3_TARGET_X86_KERNELOBJECT_H

#include "k3/Target/X86/CpuTarget.h"
#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace k3 {

/// Registers what translation to LLVM IR needs. Call it before the context is
/// used by more than one thread.
void registerObjectDialects(mlir::DialectRegistry &registry);

/// The machine code of one module, and its text when it was asked for.
struct KernelObject {
  std::string bytes;    ///< a relocatable ELF object
  std::string ir;       ///< LLVM IR as it is before code generation
  std::string assembly; ///< what the object holds
};

/// Compiles a module of llvm-dialect functions. Only the functions named in
/// `kernels` stay visible, and each of them must be defined; the code may call
/// nothing else but memcpy, memmove and memset. The bytes depend on the module
/// and the target alone. Thread-safe for different modules of one context.
Status emitObject(mlir::ModuleOp module, const CpuTarget &target,
                  llvm::ArrayRef<std::string> kernels, bool wantText,
                  KernelObject &object);

/// Links objects to a shared object that exports exactly `kernels` and imports
/// nothing.
Status linkKernels(llvm::ArrayRef<std::string> objects, const CpuTarget &target,
                   llvm::ArrayRef<std::string> kernels, std::string &image);

/// Both of the above for a single module.
Status compileToSharedObject(mlir::ModuleOp module, const CpuTarget &target,
                             llvm::ArrayRef<std::string> kernels,
                             std::string &image);

} // namespace k3

#endif // K3_TARGET_X86_KERNELOBJECT_H
