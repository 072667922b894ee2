// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's optimiser and code generator, set up for one CPU level. Products and
// sums are fused where the IR says so and nowhere else: one element must be
// computed the same way in the main loop and in its tail.

#include "CodeGenerator.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace llvm;
using namespace k3;

extern "C" {
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
}

namespace {

const Triple &kernelTriple() {
  static const Triple triple("x86_64-unknown-linux-gnu");
  return triple;
}

void registerX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

Status internal(const Twine &text) {
  return k3::Status::error(Code::Internal, 590, text.str());
}

bool knowsFeatures(const MCSubtargetInfo &info, StringRef features) {
  SmallVector<StringRef> names;
  features.split(names, ',', -1, /*KeepEmpty=*/false);
  return all_of(names, [&](StringRef name) {
    return any_of(info.getAllProcessorFeatures(),
                  [&](const SubtargetFeatureKV &known) {
                    return name.drop_front() == known.Key;
                  });
  });
}

} // namespace

k3::Status CodeGenerator::open(const CpuTarget &target) {
  registerX86();
  cpu = &target;
  std::string error;
  const Target *backend = TargetRegistry::lookupTarget(kernelTriple(), error);
  if (!backend)
    return internal("this LLVM has no x86-64 back end: " + error);
  std::unique_ptr<MCSubtargetInfo> info(
      backend->createMCSubtargetInfo(kernelTriple(), "", ""));
  if (!info || !info->isCPUStringValid(target.cpu) ||
      !knowsFeatures(*info, target.targetFeatures))
    return internal("this LLVM does not know the target '" + target.name + "'");
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  options.FunctionSections = true; // unused memory routines are dropped
  options.UniqueSectionNames = false;
  machine.reset(backend->createTargetMachine(
      kernelTriple(), target.cpu, target.targetFeatures, options, Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Aggressive));
  if (!machine)
    return internal("LLVM refused the target '" + target.name + "'");
  return {};
}

void CodeGenerator::prepare(Module &module) {
  module.setTargetTriple(kernelTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setSourceFileName("k3"); // no path may reach the object
  module.setPICLevel(PICLevel::BigPIC);
  std::string width = std::to_string(cpu->vectorWidth * 32);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(Attribute::NoUnwind);
    function.addFnAttr("target-cpu", cpu->cpu);
    if (!cpu->targetFeatures.empty())
      function.addFnAttr("target-features", cpu->targetFeatures);
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
  }
}

void CodeGenerator::optimize(Module &module) {
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

k3::Status CodeGenerator::write(Module &module, CodeGenFileType kind,
                                std::string &out) {
  SmallString<0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, kind,
                                   /*DisableVerify=*/true))
    return internal("LLVM cannot write code for '" + cpu->name + "'");
  passes.run(module);
  out.assign(buffer.begin(), buffer.end());
  return {};
}

k3::Status CodeGenerator::run(Module &module, bool wantText,
                              KernelObject &object) {
  prepare(module);
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(module, &stream))
    return internal("invalid LLVM IR: " +
                    StringRef(problems).split('\n').first);
  optimize(module);
  if (wantText) {
    raw_string_ostream text(object.ir);
    module.print(text, nullptr);
    // Code generation changes the module, so each kind of output has its own.
    K3_TRY(write(*CloneModule(module), CodeGenFileType::AssemblyFile,
                 object.assembly));
  }
  return write(module, CodeGenFileType::ObjectFile, object.bytes);
}
