// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From loops, vectors and memrefs to the llvm dialect.

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"
#include "k3/Conversion/KernelToLLVM/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace k3 {

void buildLowerToLLVM(OpPassManager &passes, const CpuTarget &target) {
  VectorizeLinalgPassOptions vectorize;
  vectorize.target = target.name.str();
  passes.addNestedPass<func::FuncOp>(createVectorizeLinalgPass(vectorize));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createExpandMathPass());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSCFToControlFlowPass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.x86Vector = true;
  passes.addPass(createConvertVectorToLLVMPass(vectors));
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

LogicalResult lowerToLLVM(ModuleOp module, const CpuTarget &target) {
  PassManager passes(module.getContext());
  buildLowerToLLVM(passes, target);
  return passes.run(module);
}

namespace {
struct LowerToLLVMOptions : PassPipelineOptions<LowerToLLVMOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the CPU level"),
                             llvm::cl::init("x86-64-v3")};
};
} // namespace

void registerLowerToLLVM() {
  PassPipelineRegistration<LowerToLLVMOptions>(
      "k3-lower-to-llvm", "loops of a kernel to the llvm dialect",
      [](OpPassManager &passes, const LowerToLLVMOptions &options) {
        const CpuTarget *target = findCpuTarget(options.target);
        buildLowerToLLVM(passes, target ? *target : cpuTargets().back());
      });
}

} // namespace k3
