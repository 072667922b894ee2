// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's optimiser and NVPTX back end, set up for one architecture. Pointers to
// shared memory have 32 bits: that alone takes a sixth of the registers off a
// tile kernel.

#include "PtxGenerator.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"

#include <mutex>

using namespace llvm;
using namespace k3;

extern "C" {
void LLVMInitializeNVPTXAsmPrinter();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
}

namespace {

const Triple &kernelTriple() {
  static const Triple triple("nvptx64-nvidia-cuda");
  return triple;
}

k3::Status internal(const Twine &text) {
  return k3::Status::error(Code::Internal, 590, text.str());
}

void registerNvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // There is no other way to ask for it than LLVM's command line.
    auto &options = cl::getRegisteredOptions();
    if (auto found = options.find("nvptx-short-ptr"); found != options.end())
      static_cast<cl::opt<bool> *>(found->second)->setValue(true);
  });
}

bool knowsFeature(const MCSubtargetInfo &info, StringRef feature) {
  return any_of(info.getAllProcessorFeatures(),
                [&](const SubtargetFeatureKV &known) {
                  return feature.drop_front() == known.Key;
                });
}

} // namespace

k3::Status PtxGenerator::open(const GpuTarget &target) {
  registerNvptx();
  gpu = &target;
  std::string error;
  const Target *backend = TargetRegistry::lookupTarget(kernelTriple(), error);
  if (!backend)
    return internal("this LLVM has no NVPTX back end: " + error);
  std::unique_ptr<MCSubtargetInfo> info(
      backend->createMCSubtargetInfo(kernelTriple(), "", ""));
  if (!info || !info->isCPUStringValid(target.name) ||
      !knowsFeature(*info, target.ptxFeature))
    return internal("this LLVM does not know the target '" + target.name + "'");
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  machine.reset(backend->createTargetMachine(
      kernelTriple(), target.name, target.ptxFeature, options, std::nullopt,
      std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return internal("LLVM refused the target '" + target.name + "'");
  return {};
}

/// Only entries stay visible. Inline assembly holds barriers and warpgroup
/// products, which must not be moved into divergent control flow; MLIR cannot
/// say so.
void PtxGenerator::prepare(Module &module) {
  module.setTargetTriple(kernelTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setSourceFileName("k3"); // no path may reach the artefact
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (function.getCallingConv() != CallingConv::PTX_Kernel)
      function.setLinkage(GlobalValue::InternalLinkage);
    function.addFnAttr(Attribute::NoUnwind);
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && call->isInlineAsm())
        call->addFnAttr(Attribute::Convergent);
  }
}

/// What LLVM would abort on, or pass on as an undefined reference.
k3::Status PtxGenerator::check(Module &module) {
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(module, &stream))
    return internal("invalid LLVM IR: " +
                    StringRef(problems).split('\n').first);
  for (Function &function : module) {
    if (!function.isDeclaration() || function.use_empty())
      continue;
    StringRef name = function.getName();
    bool foreign =
        function.isTargetIntrinsic() && !name.starts_with("llvm.nvvm.");
    if (!function.isIntrinsic() || foreign)
      return internal("kernel code for '" + gpu->name + "' calls '" + name +
                      "', which this target does not have");
  }
  return {};
}

void PtxGenerator::optimize(Module &module) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

k3::Status PtxGenerator::write(Module &module, std::string &ptx) {
  SmallString<0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true))
    return internal("LLVM cannot write code for '" + gpu->name + "'");
  passes.run(module);
  ptx.assign(buffer.begin(), buffer.end());
  return {};
}

k3::Status PtxGenerator::run(Module &module, bool wantText, PtxCode &code) {
  prepare(module);
  K3_TRY(check(module));
  optimize(module);
  if (wantText) {
    raw_string_ostream text(code.ir);
    module.print(text, nullptr);
  }
  return write(module, code.ptx);
}
