// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline, top to bottom. This is the only file that knows the order.

#include "PhaseChecks.h"

#include "k3/Dialect/K3/Transforms/Passes.h"
#include "k3/Fusion/Passes.h"
#include "k3/Pipeline/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace k3;

namespace {
/// Small chunks: the products that grow with them are the ones of which half
/// is thrown away, and tiles stay in the second-level cache.
constexpr int64_t kCpuChunkSize = 32, kCpuSubTile = 16;
} // namespace

static void buildImport(OpPassManager &pm, const CompileOptions &options) {
  pm.addPass(createVerifyStateUsePass());
}

static void buildPrepare(OpPassManager &pm, const CompileOptions &options) {
  if (!options.precision.empty()) {
    SetPrecisionPassOptions precision;
    precision.precision = options.precision;
    pm.addPass(createSetPrecisionPass(precision));
  }
  if (options.recurrence == "chunked") {
    ChunkDeltaRulePassOptions chunks;
    chunks.chunkSize = kCpuChunkSize;
    chunks.subTile = kCpuSubTile;
    pm.addPass(createChunkDeltaRulePass(chunks));
  }
  pm.addNestedPass<func::FuncOp>(createAbsorbLatentAttentionPass());
  pm.addNestedPass<func::FuncOp>(createSplitExpertsPass());
  pm.addPass(createPackWeightsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
}

static void buildFuse(OpPassManager &pm, const CompileOptions &options) {
  pm.addNestedPass<func::FuncOp>(createFormKernelsPass());
}

static void buildOutline(OpPassManager &pm, const CompileOptions &options) {
  pm.addPass(createOutlineKernelsPass());
}

static constexpr Phase table[] = {
    {"import", "k3 ops in flat functions, states updated in place only",
     buildImport, checkImported},
    {"prepare", "wanted precision, packed weights, only ops with a kernel",
     buildPrepare, checkPrepared},
    {"fuse", "every op sits in exactly one k3.kernel", buildFuse, checkFused},
    {"outline", "distinct kernels once; entry points are launches",
     buildOutline, checkOutlined},
    {"lower", "each kernel is loops over vectors, for each CPU level", nullptr,
     nullptr},
    {"llvm", "each kernel is a function of the llvm dialect", nullptr, nullptr},
    {"object", "each kernel is machine code that calls nothing", nullptr,
     nullptr},
    {"artefact", "buffers, workspace, commands and code in one file", nullptr,
     nullptr},
};

llvm::ArrayRef<Phase> k3::phases() { return table; }

namespace {

/// Runs the check of a phase, so that its sentence in the table holds.
struct CheckPhase : PassWrapper<CheckPhase, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckPhase)
  explicit CheckPhase(const Phase &phase) : phase(&phase) {}
  llvm::StringRef getName() const override { return "CheckPhase"; }
  void runOnOperation() override {
    if (failed(phase->check(getOperation())))
      signalPassFailure();
  }
  const Phase *phase;
};

struct PhaseOptions : PassPipelineOptions<PhaseOptions> {
  Option<std::string> last{*this, "last",
                           llvm::cl::desc("the phase to stop after"),
                           llvm::cl::init("outline")};
  Option<std::string> recurrence{*this, "recurrence",
                                 llvm::cl::desc("recurrent or chunked"),
                                 llvm::cl::init("recurrent")};
  Option<std::string> precision{
      *this, "precision", llvm::cl::desc("f32 or bf16; empty: as imported")};
};

} // namespace

LogicalResult k3::addPhases(OpPassManager &pm, const CompileOptions &options,
                            llvm::StringRef last) {
  for (const Phase &phase : table) {
    if (!phase.build)
      break;
    phase.build(pm, options);
    pm.addPass(std::make_unique<CheckPhase>(phase));
    if (last == phase.name)
      return success();
  }
  return failure();
}

void k3::registerPhasePipelines() {
  PassPipelineRegistration<PhaseOptions>(
      "k3-phases", "The first phases of the pipeline, on the whole module",
      [](OpPassManager &pm, const PhaseOptions &options) {
        CompileOptions compile;
        compile.precision = options.precision;
        compile.recurrence = options.recurrence;
        if (failed(addPhases(pm, compile, options.last)))
          llvm::errs() << "k3-phases: no phase over modules has the name '"
                       << options.last << "'; all of them run\n";
      });
}
