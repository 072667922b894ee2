// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a k3 module to an artefact, phase by phase.

#ifndef K3_PIPELINE_PIPELINE_H
#define K3_PIPELINE_PIPELINE_H

#include "k3/Artefact/Plan.h"
#include "k3/Target/X86/CpuTarget.h"
#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

#include <functional>

namespace k3 {

/// Everything that a compile can be asked for. Callbacks may be empty.
struct CompileOptions {
  /// The levels to compile for, best first.
  std::vector<const CpuTarget *> targets;
  /// "f32", "bf16", or empty: as imported.
  std::string precision;
  /// "recurrent" or "chunked": how calls with several tokens a sequence run.
  std::string recurrence = "recurrent";
  /// The phase to stop after; empty: the last one. Its result is kept as text.
  std::string stopAfter;
  /// An existing folder that gets the result of every phase; empty: none.
  std::string dumpFolder;
  /// Sets up every pass manager (printing, timing, ...).
  std::function<mlir::LogicalResult(mlir::PassManager &)> configure;
  /// Called as kernels are finished, one thread at a time.
  std::function<void(size_t done, size_t total)> progress;
  /// Called with one line of text for people who tune.
  std::function<void(const std::string &)> remark;
};

/// One row of the pipeline's table.
struct Phase {
  llvm::StringRef name;
  llvm::StringRef leaves; ///< what holds afterwards
  /// Passes over the module; null for the phases behind `outline`, which work
  /// on one kernel and one CPU level at a time.
  void (*build)(mlir::OpPassManager &, const CompileOptions &);
  /// Enforces `leaves`; null where the next phase does.
  mlir::LogicalResult (*check)(mlir::ModuleOp);
};

/// The table, in order.
llvm::ArrayRef<Phase> phases();

/// Adds the passes and checks of the first phases, up to `last`. Fails when no
/// phase over modules has that name.
mlir::LogicalResult addPhases(mlir::OpPassManager &pm,
                              const CompileOptions &options,
                              llvm::StringRef last);

/// Registers `--k3-phases=last=NAME` as a pass pipeline.
void registerPhasePipelines();

/// Dialects, interfaces and translations that a compile uses.
void registerCompileDialects(mlir::DialectRegistry &registry);

/// Parses the main buffer of `sources`, text or bytecode, and refuses what is
/// nested too deeply to be parsed with bounded stack. Problems inside the text
/// are diagnostics.
Status readModule(mlir::MLIRContext &context,
                  const std::shared_ptr<llvm::SourceMgr> &sources,
                  mlir::OwningOpRef<mlir::ModuleOp> &module);

/// Levels for a comma-separated list of target names and aliases.
Status parseTargets(llvm::StringRef list,
                    std::vector<const CpuTarget *> &targets);

/// A compiled module. Without `stopAfter`, `index` and `images` make the file;
/// with it, `text` is the result of that phase.
struct CompiledModel {
  plan::Artefact plan;
  std::string index;
  std::vector<std::string> images; ///< in the order of `plan.code`
  std::string text;
};

/// Compiles. All dialects of the registry must be loaded. Reasons for a
/// refusal are diagnostics at their places, and summed up in the status; code
/// Internal means that the fault is ours. The result depends on the module and
/// the options alone, not on the number of threads.
Status compileModule(mlir::ModuleOp module, const CompileOptions &options,
                     CompiledModel &model);

} // namespace k3

#endif // K3_PIPELINE_PIPELINE_H
