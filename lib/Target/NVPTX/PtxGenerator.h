// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's optimiser and NVPTX back end, set up for one architecture.

#ifndef K3_LIB_TARGET_NVPTX_PTXGENERATOR_H
#define K3_LIB_TARGET_NVPTX_PTXGENERATOR_H

#include "k3/Target/NVPTX/GpuCode.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace k3 {

class PtxGenerator {
public:
  /// Fails, rather than letting LLVM abort, when this LLVM does not know the
  /// architecture or its PTX version.
  Status open(const GpuTarget &target);

  /// Optimises `module` and writes its PTX.
  Status run(llvm::Module &module, bool wantText, PtxCode &code);

private:
  void prepare(llvm::Module &module);
  Status check(llvm::Module &module);
  void optimize(llvm::Module &module);
  Status write(llvm::Module &module, std::string &ptx);

  const GpuTarget *gpu = nullptr;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace k3

#endif // K3_LIB_TARGET_NVPTX_PTXGENERATOR_H
