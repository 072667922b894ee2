// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every value is compared where it is made. Unless asked to chain, the
// reference then goes on with the compiled value, so an op answers for its own
// error only.

#include "CheckJob.h"

#include "CompiledRun.h"
#include "k3/Dialect/K3/Transforms/Passes.h"
#include "k3/Reference/TensorFile.h"
#include "runtime/base/Escape.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

namespace {

/// Compares as the reference runs, and prints.
class Checker {
public:
  Checker(const CheckFlags &flags, const CompiledRun &compiled,
          func::FuncOp function)
      : flags(flags), compiled(compiled) {
    Operation *end = function.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(end->getOperands()))
      names[value].push_back(outputName(function, i));
  }

  void see(OpResult result, TensorPtr &value);
  Status status() const;
  size_t compared = 0, failures = 0;

private:
  Bounds boundsOf(const std::string &name) const {
    auto dtype = compiled.dtypes.find(name);
    bool bf16 = dtype != compiled.dtypes.end() && dtype->second == "BF16";
    Bounds bounds = bf16 || flags.precision == "bf16" ? bf16Bounds : f32Bounds;
    return {flags.maxRms.value_or(bounds.rmsRatio),
            flags.maxRow.value_or(bounds.rowRatio)};
  }
  void print(const std::string &name, const Difference &difference, bool ok);

  const CheckFlags &flags;
  const CompiledRun &compiled;
  llvm::DenseMap<Value, std::vector<std::string>> names;
  std::string first;
};

} // namespace

void Checker::print(const std::string &name, const Difference &difference,
                    bool ok) {
  if (ok && flags.onlyFailures)
    return;
  if (compared == 1 || (flags.onlyFailures && failures == 1))
    llvm::outs() << "   max abs  rms ratio  row ratio        value\n";
  if (difference.mismatches)
    llvm::outs() << llvm::format("%10lld integers differ          ",
                                 (long long)difference.mismatches);
  else
    llvm::outs() << llvm::format("%10.2e %10.2e %10.2e  ", difference.maxAbs,
                                 difference.rmsRatio, difference.rowRatio);
  llvm::outs() << (ok ? "ok    " : "WRONG ") << name << "\n";
}

void Checker::see(OpResult result, TensorPtr &value) {
  auto found = names.find(result);
  if (found == names.end())
    return;
  const std::string &name = found->second.front();
  auto actual = compiled.outputs.find(name);
  if (actual == compiled.outputs.end())
    return;
  ++compared;
  Difference difference;
  bool ok = actual->second->shape == value->shape;
  if (ok) {
    difference = compare(*actual->second, *value);
    ok = boundsOf(name).allow(difference);
  }
  if (!ok && failures++ == 0)
    first = name;
  print(name, difference, ok);
  if (!flags.chained && actual->second->shape == value->shape)
    value = actual->second;
}

k3::Status Checker::status() const {
  if (failures == 0)
    return {};
  return k3::Status::error(
      Code::CheckFailed, 801,
      std::to_string(failures) + " of " + std::to_string(compared) +
          " values are out of bounds, the first is " + quote(first));
}

static k3::Status gather(const CheckFlags &flags, NamedTensors &inputs) {
  if (!flags.inputsFile.empty())
    K3_TRY(readTensorFile(flags.inputsFile, inputs));
  if (flags.promptIds.empty())
    return {};
  auto integers = [](std::vector<int32_t> values) {
    int64_t count = values.size();
    return share(Tensor::ofIntegers({count}, std::move(values)));
  };
  inputs["tokens"] = integers(flags.promptIds);
  inputs["cu_seqlens"] = integers({0, int32_t(flags.promptIds.size())});
  inputs["slots"] = integers({0});
  return {};
}

/// Tokens and slots that the inputs need.
static void sizeSession(const NamedTensors &inputs, CompiledRun &run) {
  if (auto tokens = inputs.find("tokens"); tokens != inputs.end())
    run.capacity = std::max<int64_t>(tokens->second->rows(), 1);
  if (auto slots = inputs.find("slots"); slots != inputs.end())
    for (int32_t slot : slots->second->integers)
      run.slots = std::max<int64_t>(run.slots, slot + 1);
}

/// Leaves one entry point, which returns every value.
static LogicalResult expose(ModuleOp module, StringRef entry) {
  if (!module.lookupSymbol<func::FuncOp>(entry))
    return module.emitError("no entry point '") << entry << "'";
  for (func::FuncOp other :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (other.getSymName() != entry)
      other.erase();
  PassManager pm(module.getContext());
  pm.addPass(createExposeValuesPass());
  return pm.run(module);
}

/// The rows that "o@1" or "o" names; null when they do not fit.
static TensorPtr namedRows(StringRef key, const Tensor &wanted,
                           const NamedTensors &outputs) {
  auto [name, row] = key.split('@');
  auto found = outputs.find(name.str());
  if (found == outputs.end() || wanted.isInteger != found->second->isInteger)
    return nullptr;
  const Tensor &all = *found->second;
  if (row.empty() && all.count() == wanted.count())
    return found->second;
  int64_t index = 0;
  if (row.getAsInteger(10, index) || index < 0 || index >= all.rows() ||
      all.rowSize() != wanted.count() || all.isInteger)
    return nullptr;
  std::vector<double> values(all.row(index), all.row(index) + all.rowSize());
  return share(Tensor::ofReals(wanted.shape, std::move(values)));
}

/// Compares compiled results with those of a file, by the rms ratio.
static k3::Status checkExpected(const CheckFlags &flags,
                                const CompiledRun &compiled) {
  NamedTensors expected;
  K3_TRY(readTensorFile(flags.expectedFile, expected));
  for (const auto &[key, wanted] : expected) {
    TensorPtr actual = namedRows(key, *wanted, compiled.outputs);
    if (!actual)
      return k3::Status::error(Code::BadInput, 809,
                               "no result fits the expected " + quote(key));
    Difference difference = compare(*actual, *wanted);
    double bound = flags.maxRms.value_or(
        (flags.precision == "bf16" ? bf16Bounds : f32Bounds).rmsRatio);
    bool ok = difference.mismatches == 0 && difference.rmsRatio <= bound;
    llvm::outs() << "expected " << key << ": rms ratio "
                 << llvm::format("%.2e", difference.rmsRatio)
                 << (ok ? "\n" : " WRONG\n");
    if (!ok)
      return k3::Status::error(Code::CheckFailed, 809,
                               quote(key) + " is not what is expected");
  }
  return {};
}

static k3::Status refused(const char *what) {
  return k3::Status::error(Code::BadInput, 808, what);
}

static k3::Status checkModule(const CheckFlags &flags, ModuleOp module) {
  NamedTensors inputs, results;
  K3_TRY(gather(flags, inputs));
  if (failed(expose(module, flags.entry)))
    return refused("the module cannot be checked");
  CompiledRun compiled;
  compiled.target = flags.target;
  compiled.precision = flags.precision;
  compiled.recurrence = flags.recurrence;
  compiled.weights = flags.weights;
  compiled.entry = flags.entry;
  compiled.threads = flags.threads;
  sizeSession(inputs, compiled);
  OwningOpRef<ModuleOp> copy = module.clone();
  K3_TRY(compiled.run(*copy, inputs));
  if (!flags.expectedFile.empty())
    K3_TRY(checkExpected(flags, compiled));

  CheckpointWeights weights;
  if (!flags.weights.empty())
    K3_TRY(CheckpointWeights::open(flags.weights, weights));
  std::unique_ptr<ModelRunner> runner;
  if (failed(ModelRunner::create(module,
                                 flags.weights.empty() ? nullptr : &weights,
                                 compiled.slots, compiled.capacity, runner)))
    return refused("the reference has no room for the states");
  Checker checker(flags, compiled,
                  module.lookupSymbol<func::FuncOp>(flags.entry));
  runner->observe(
      [&](OpResult result, TensorPtr &value) { checker.see(result, value); });
  if (failed(runner->run(flags.entry, inputs, results)))
    return refused("the reference cannot run the module");
  llvm::outs() << checker.compared << " values compared, " << checker.failures
               << " out of bounds\n";
  return checker.status();
}

k3::Status k3::runCheck(const CheckFlags &flags) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(
      flags.input, /*IsText=*/false, /*RequiresNullTerminator=*/true);
  if (!buffer)
    return k3::Status::error(Code::Io, 601,
                             escaped(flags.input) + ": " +
                                 buffer.getError().message());
  DialectRegistry registry;
  registerCompileDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler printer(*sources, &context);
  OwningOpRef<ModuleOp> module;
  K3_TRY(readModule(context, sources, module));
  return checkModule(flags, *module);
}
