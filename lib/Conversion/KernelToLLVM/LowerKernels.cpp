// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of loops for each k3.kernel_func.

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"
#include "k3/Conversion/KernelToLLVM/Passes.h"
#include "k3/Dialect/K3/IR/KernelKinds.h"

using namespace mlir;

namespace k3 {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "k3/Conversion/KernelToLLVM/Passes.h.inc"

static LogicalResult lowerKernel(KernelFuncOp kernel, ModuleOp module,
                                 const CpuTarget &target,
                                 LoweredKernel &lowered) {
  KernelFrame frame(kernel, module, target);
  bool anchored = llvm::any_of(frame.body().without_terminator(),
                               [](Operation &op) { return isAnchor(&op); });
  FailureOr<KernelGrid> grid =
      anchored ? lowerAnchorKernel(frame) : lowerRowKernel(frame);
  if (failed(grid))
    return failure();
  lowered = frame.finish(*grid);
  return success();
}

FailureOr<OwningOpRef<ModuleOp>>
lowerKernels(ModuleOp module, const CpuTarget &target,
             SmallVectorImpl<LoweredKernel> &kernels) {
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  for (KernelFuncOp kernel : module.getOps<KernelFuncOp>())
    if (failed(lowerKernel(kernel, *result, target, kernels.emplace_back())))
      return failure();
  return result;
}

namespace {
struct LowerKernelsPass : impl::LowerKernelsPassBase<LowerKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    const CpuTarget *cpu = findCpuTarget(target);
    if (!cpu) {
      getOperation().emitError("unknown target '") << target << "'";
      return signalPassFailure();
    }
    SmallVector<LoweredKernel> kernels;
    auto lowered = lowerKernels(getOperation(), *cpu, kernels);
    if (failed(lowered))
      return signalPassFailure();
    for (auto entry :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!entry.getOps<LaunchOp>().empty())
        entry.erase();
    for (KernelFuncOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelFuncOp>()))
      kernel.erase();
    getOperation().getBody()->getOperations().splice(
        getOperation().getBody()->end(),
        (*lowered)->getBody()->getOperations());
  }
};
} // namespace

} // namespace k3
