// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of a module as tables, then its entry points.

#include "EntryPlanner.h"

#include "runtime/format/PackedSize.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace k3;

static FailureOr<plan::Weight> planWeight(WeightOp weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  auto stored = cast<RankedTensorType>(weight.getStored());
  std::optional<plan::DType> dtype = dtypeOf(type.getElementType());
  std::optional<plan::DType> storedDtype = dtypeOf(stored.getElementType());
  if (!dtype || !storedDtype)
    return weight.emitOpError("has an element type that cannot be loaded");
  Packing packing = weight.getPacking().value_or(Packing::None);
  std::optional<uint64_t> bytes = packedBytes(
      type.getShape().vec(), DType(*dtype), artefact::Packing(packing));
  if (!bytes)
    return weight.emitOpError("does not fit its packing, or is too large: ")
           << type;
  plan::Weight planned;
  planned.name = weight.getSymName().str();
  planned.dtype = *dtype;
  planned.shape.assign(type.getShape().begin(), type.getShape().end());
  planned.packing = uint8_t(packing);
  planned.bytes = *bytes;
  planned.source = weight.getSource().str();
  planned.sourceDtype = *storedDtype;
  planned.sourceShape.assign(stored.getShape().begin(),
                             stored.getShape().end());
  planned.stack = weight.getStack().value_or(0);
  planned.prefix = weight.getPrefix();
  return planned;
}

static FailureOr<plan::State> planState(StateOp state) {
  auto type = cast<RankedTensorType>(state.getType());
  std::optional<plan::DType> dtype = dtypeOf(type.getElementType());
  if (!dtype)
    return state.emitOpError("has an element type that cannot be kept");
  plan::State planned{state.getSymName().str(), *dtype, {}};
  for (int64_t size : type.getShape())
    planned.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return planned;
}

/// Names of the ops of a kernel, in order.
static std::string sourceOf(KernelFuncOp kernel) {
  SmallVector<StringRef> names;
  for (Operation &op : kernel.getBody().front().without_terminator())
    names.push_back(op.getName().stripDialect());
  return llvm::join(names, " ");
}

/// Pairs in the order of their keys, as dictionaries of the IR are.
static void planMetadata(ModuleOp module, plan::Artefact &artefact) {
  auto metadata = module->getAttrOfType<DictionaryAttr>("k3.metadata");
  if (!metadata)
    return;
  for (NamedAttribute pair : metadata)
    if (auto value = dyn_cast<StringAttr>(pair.getValue()))
      artefact.metadata.push_back({pair.getName().str(), value.str()});
}

static std::string precisionOf(ModuleOp module) {
  bool hasBf16 = false;
  module.walk([&](LaunchOp launch) {
    for (Type type : launch.getResultTypes())
      hasBf16 |= cast<RankedTensorType>(type).getElementType().isBF16();
  });
  return hasBf16 ? "bf16" : "f32";
}

static LogicalResult planKernels(ModuleOp module,
                                 ArrayRef<LoweredKernel> kernels,
                                 PlanTables &tables, plan::Artefact &artefact) {
  tables.lowered = kernels;
  for (KernelFuncOp kernel : module.getOps<KernelFuncOp>()) {
    size_t number = artefact.kernels.size();
    if (number >= kernels.size() ||
        kernels[number].symbol != kernel.getSymName())
      return kernel.emitOpError("internal error: has not been lowered");
    tables.kernels[kernel.getSymName()] = int(number);
    artefact.kernels.push_back({kernel.getSymName().str(),
                                kernels[number].scratchBytes,
                                sourceOf(kernel)});
  }
  return success();
}

/// Only what some entry point reads is loaded.
static LogicalResult planDeclarations(ModuleOp module, PlanTables &tables,
                                      plan::Artefact &artefact) {
  llvm::StringSet<> used;
  module.walk([&](GetWeightOp get) { used.insert(get.getWeight()); });
  for (WeightOp weight : module.getOps<WeightOp>()) {
    if (!used.contains(weight.getSymName()))
      continue;
    FailureOr<plan::Weight> planned = planWeight(weight);
    if (failed(planned))
      return failure();
    tables.weights[weight.getSymName()] = int(artefact.weights.size());
    artefact.weights.push_back(std::move(*planned));
  }
  for (StateOp state : module.getOps<StateOp>()) {
    FailureOr<plan::State> planned = planState(state);
    if (failed(planned))
      return failure();
    tables.states[state.getSymName()] = int(artefact.states.size());
    artefact.states.push_back(std::move(*planned));
  }
  return success();
}

FailureOr<plan::Artefact> k3::planArtefact(ModuleOp module,
                                           ArrayRef<LoweredKernel> kernels) {
  plan::Artefact artefact;
  PlanTables tables;
  SymbolNames symbols;
  if (failed(planDeclarations(module, tables, artefact)) ||
      failed(planKernels(module, kernels, tables, artefact)))
    return failure();
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    FailureOr<plan::Entry> entry =
        EntryPlanner(function, tables, symbols).run();
    if (failed(entry))
      return failure();
    artefact.entries.push_back(std::move(*entry));
  }
  artefact.symbols = symbols.list();
  if (!artefact.states.empty()) {
    artefact.slotsSymbol = symbols.find("slots");
    artefact.capacitySymbol = symbols.find("capacity");
  }
  artefact.precision = precisionOf(module);
  planMetadata(module, artefact);
  return artefact;
}

Status k3::mergeLevels(ArrayRef<std::vector<LoweredKernel>> levels,
                       std::vector<LoweredKernel> &merged) {
  merged = levels.front();
  for (const std::vector<LoweredKernel> &level : levels.drop_front()) {
    if (level.size() != merged.size())
      return Status::error(Code::Internal, 592,
                           "CPU levels do not agree on the number of kernels");
    for (auto [kernel, other] : llvm::zip_equal(merged, level)) {
      if (kernel.symbol != other.symbol || kernel.dims != other.dims ||
          kernel.gridDim != other.gridDim || kernel.tile != other.tile ||
          kernel.multiplier != other.multiplier)
        return Status::error(Code::Internal, 592,
                             "kernel '" + kernel.symbol +
                                 "': CPU levels do not agree on its grid");
      kernel.scratchBytes = std::max(kernel.scratchBytes, other.scratchBytes);
    }
  }
  return {};
}
