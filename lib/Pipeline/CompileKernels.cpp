// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One task a kernel and level, on the threads of the context.

#include "CompileKernels.h"

#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <mutex>

using namespace mlir;
using namespace k3;

namespace {

class KernelCompiler {
public:
  KernelCompiler(const CompileOptions &options, bool wantText)
      : options(options), wantText(wantText) {}

  Status run(ModuleOp module, std::vector<CompiledLevel> &levels);

private:
  struct Task {
    KernelFuncOp kernel;
    const CpuTarget *target;
    CompiledKernel *result;
    k3::Status status;
  };

  LogicalResult runTask(Task &task);
  Status compile(Task &task);
  bool stopsAfter(llvm::StringRef phase) const {
    return options.stopAfter == phase;
  }
  std::string print(ModuleOp module, bool wanted) const;
  void count(size_t total);

  const CompileOptions &options;
  bool wantText;
  std::mutex lock;
  size_t done = 0;
};

k3::Status refusal(const std::string &what, KernelFuncOp kernel,
                   const CpuTarget &target) {
  return k3::Status::error(Code::BadInput, 503,
                           "kernel '" + kernel.getSymName().str() + "' " +
                               what + " for " + target.name.str());
}

std::string KernelCompiler::print(ModuleOp module, bool wanted) const {
  std::string text;
  if (!wanted)
    return text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  return text;
}

Status KernelCompiler::compile(Task &task) {
  OwningOpRef<ModuleOp> alone = ModuleOp::create(task.kernel.getLoc());
  alone->push_back(task.kernel->clone());
  SmallVector<LoweredKernel> lowered;
  FailureOr<OwningOpRef<ModuleOp>> loops =
      lowerKernels(*alone, *task.target, lowered);
  if (failed(loops) || lowered.size() != 1)
    return refusal("cannot be lowered", task.kernel, *task.target);
  CompiledKernel &result = *task.result;
  result.lowered = lowered.front();
  ModuleOp code = loops->get();
  if (failed(verify(code)))
    return k3::Status::error(Code::Internal, 590,
                             "kernel '" + result.lowered.symbol +
                                 "' is not valid after phase 'lower'");
  result.loops = print(code, wantText || stopsAfter("lower"));
  if (stopsAfter("lower"))
    return {};
  if (failed(lowerToLLVM(code, *task.target)))
    return k3::Status::error(Code::Internal, 590,
                             "kernel '" + result.lowered.symbol +
                                 "' failed in phase 'llvm'");
  result.llvm = print(code, wantText || stopsAfter("llvm"));
  if (stopsAfter("llvm"))
    return {};
  return emitObject(code, *task.target, result.lowered.symbol,
                    wantText || stopsAfter("object"), result.object)
      .in("kernel '" + result.lowered.symbol + "'");
}

/// A crash inside one kernel becomes a status, where the tool has enabled
/// crash recovery.
LogicalResult KernelCompiler::runTask(Task &task) {
  task.status = k3::Status::error(Code::Internal, 590,
                                  "kernel '" + task.kernel.getSymName().str() +
                                      "' crashed the compiler");
  llvm::CrashRecoveryContext recovery;
  recovery.RunSafely([&] { task.status = compile(task); });
  return success(task.status.ok());
}

void KernelCompiler::count(size_t total) {
  std::lock_guard<std::mutex> guard(lock);
  ++done;
  if (options.progress)
    options.progress(done, total);
}

Status KernelCompiler::run(ModuleOp module,
                           std::vector<CompiledLevel> &levels) {
  auto kernels = llvm::to_vector(module.getOps<KernelFuncOp>());
  levels.resize(options.targets.size());
  std::vector<Task> tasks;
  for (auto [level, target] : llvm::zip_equal(levels, options.targets)) {
    level.target = target;
    level.kernels.resize(kernels.size());
    for (auto [kernel, result] : llvm::zip_equal(kernels, level.kernels))
      tasks.push_back({kernel, target, &result, {}});
  }
  LogicalResult all =
      failableParallelForEach(module.getContext(), tasks, [&](Task &task) {
        LogicalResult result = runTask(task);
        count(tasks.size());
        return result;
      });
  if (succeeded(all))
    return {};
  for (Task &task : tasks)
    if (!task.status.ok())
      return std::move(task.status);
  return k3::Status::error(Code::Internal, 590, "a kernel failed silently");
}

} // namespace

k3::Status k3::compileKernels(ModuleOp module, const CompileOptions &options,
                              bool wantText,
                              std::vector<CompiledLevel> &levels) {
  return KernelCompiler(options, wantText).run(module, levels);
}
