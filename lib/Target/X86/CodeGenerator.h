// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's optimiser and code generator, set up for one CPU level.

#ifndef K3_LIB_TARGET_X86_CODEGENERATOR_H
#define K3_LIB_TARGET_X86_CODEGENERATOR_H

#include "k3/Target/X86/KernelObject.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace k3 {

class CodeGenerator {
public:
  /// Fails, rather than letting LLVM abort, when this LLVM does not know the
  /// CPU or one of its features.
  Status open(const CpuTarget &target);

  /// Optimises `module` and writes its object code.
  Status run(llvm::Module &module, bool wantText, KernelObject &object);

private:
  void prepare(llvm::Module &module);
  void optimize(llvm::Module &module);
  Status write(llvm::Module &module, llvm::CodeGenFileType kind,
               std::string &out);

  const CpuTarget *cpu = nullptr;
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Hidden definitions of memcpy, memmove and memset, which code generation may
/// call unasked.
Status emitMemoryRoutines(const CpuTarget &target, std::string &object);

} // namespace k3

#endif // K3_LIB_TARGET_X86_CODEGENERATOR_H
