// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the table of phases and puts their results together.

#include "PhaseDump.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace k3;

namespace {

std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo().assumeVerified());
  stream << "\n";
  return text;
}

/// Of the text without locations, which may name the input's path.
std::string sha256(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().assumeVerified());
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

/// Counts errors on their way to the handlers outside.
class ErrorCount : ScopedDiagnosticHandler {
public:
  explicit ErrorCount(MLIRContext *context)
      : ScopedDiagnosticHandler(context, [this](Diagnostic &diagnostic) {
          errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return failure();
        }) {}
  unsigned errors = 0;
};

class ModuleCompiler {
public:
  ModuleCompiler(ModuleOp module, const CompileOptions &options,
                 CompiledModel &model)
      : module(module), options(options), model(model) {}

  Status run();

private:
  Status runModulePhases(bool &stopped);
  Status runPhase(const Phase &phase);
  Status runKernelPhases(bool &stopped);
  Status finish();
  void remarkModule();
  void remarkKernels();

  ModuleOp module;
  const CompileOptions &options;
  CompiledModel &model;
  std::string digest;
  std::vector<CompiledLevel> levels;
};

/// A phase that fails with a reason refuses its input; one that fails without,
/// or leaves an invalid module, is our fault.
Status ModuleCompiler::runPhase(const Phase &phase) {
  std::string name = "phase '" + phase.name.str() + "'";
  ErrorCount count(module.getContext());
  PassManager pm(module.getContext());
  pm.enableVerifier(false); // below, where a failure can be told apart
  if (options.configure && failed(options.configure(pm)))
    return Status::error(Code::BadUsage, 504,
                         "the pass manager's options do not fit together");
  phase.build(pm, options);
  if (failed(pm.run(module))) {
    if (count.errors)
      return Status::error(Code::BadInput, 503,
                           "the module is refused by " + name);
    return Status::error(Code::Internal, 590,
                         name + " failed without a reason");
  }
  if (failed(verify(module)))
    return Status::error(Code::Internal, 590,
                         "the module is not valid after " + name);
  if (failed(phase.check(module))) {
    bool isInput = phase.name == phases().front().name;
    return Status::error(isInput ? Code::BadInput : Code::Internal,
                         isInput ? 503 : 590,
                         isInput ? "the module cannot be compiled"
                                 : name + " did not do all of its work");
  }
  return {};
}

Status ModuleCompiler::runModulePhases(bool &stopped) {
  for (const Phase &phase : phases()) {
    if (!phase.build)
      break;
    K3_TRY(runPhase(phase));
    stopped = options.stopAfter == phase.name;
    if (stopped || !options.dumpFolder.empty())
      model.text = printModule(module);
    K3_TRY(dumpPhase(options.dumpFolder, phase.name, "mlir", model.text));
    if (stopped)
      return {};
  }
  model.text.clear();
  remarkModule();
  return {};
}

Status ModuleCompiler::runKernelPhases(bool &stopped) {
  bool wantText = !options.dumpFolder.empty();
  K3_TRY(compileKernels(module, options, wantText, levels));
  for (llvm::StringRef phase : {"lower", "llvm", "object"}) {
    stopped = options.stopAfter == phase;
    if (stopped)
      model.text = printKernels(levels, phase);
    if (phase != "object" && wantText)
      K3_TRY(dumpPhase(options.dumpFolder, phase, "mlir",
                       printKernels(levels, phase)));
    if (phase == "object")
      K3_TRY(dumpObjects(options.dumpFolder, levels));
    if (stopped)
      return {};
  }
  remarkKernels();
  return {};
}

Status ModuleCompiler::finish() {
  std::vector<std::vector<LoweredKernel>> lowered;
  for (const CompiledLevel &level : levels) {
    lowered.emplace_back();
    for (const CompiledKernel &kernel : level.kernels)
      lowered.back().push_back(kernel.lowered);
  }
  std::vector<LoweredKernel> merged;
  K3_TRY(mergeLevels(lowered, merged));
  FailureOr<plan::Artefact> plan = planArtefact(module, merged);
  if (failed(plan))
    return Status::error(Code::BadInput, 503,
                         "no plan for the module's entry points");
  plan->sourceSha256 = digest;
  std::vector<std::string> names;
  for (const LoweredKernel &kernel : merged)
    names.push_back(kernel.symbol);
  for (const CompiledLevel &level : levels) {
    plan::Code &code = plan->code.emplace_back();
    code.target = level.target->name.str();
    for (llvm::StringRef feature : level.target->required)
      code.features.push_back(feature.str());
    std::vector<std::string> objects;
    for (const CompiledKernel &kernel : level.kernels)
      objects.push_back(kernel.object.bytes);
    K3_TRY(linkKernels(objects, *level.target, names,
                       model.images.emplace_back()));
  }
  K3_TRY(writeIndex(*plan, model.index));
  llvm::raw_string_ostream stream(model.text);
  printPlan(*plan, stream);
  model.plan = std::move(*plan);
  return dumpPhase(options.dumpFolder, "artefact", "txt", model.text);
}

void ModuleCompiler::remarkModule() {
  if (!options.remark)
    return;
  size_t launches = 0, kernels = 0;
  module.walk([&](LaunchOp) { ++launches; });
  module.walk([&](KernelFuncOp) { ++kernels; });
  options.remark("outline: " + std::to_string(launches) + " launches of " +
                 std::to_string(kernels) + " distinct kernels");
}

void ModuleCompiler::remarkKernels() {
  if (!options.remark)
    return;
  for (const CompiledLevel &level : levels)
    for (const CompiledKernel &kernel : level.kernels)
      options.remark(
          "object: " + kernel.lowered.symbol + " for " +
          level.target->name.str() + ": " +
          std::to_string(kernel.object.bytes.size()) + " bytes of object, " +
          std::to_string(kernel.lowered.scratchBytes) + " bytes of scratch");
}

Status ModuleCompiler::run() {
  if (options.targets.empty())
    return Status::error(Code::BadUsage, 512, "no target to compile for");
  digest = sha256(module);
  bool stopped = false;
  K3_TRY(runModulePhases(stopped));
  if (stopped)
    return {};
  K3_TRY(runKernelPhases(stopped));
  return stopped ? Status() : finish();
}

} // namespace

k3::Status k3::compileModule(ModuleOp module, const CompileOptions &options,
                             CompiledModel &model) {
  return ModuleCompiler(module, options, model).run();
}
