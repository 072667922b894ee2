// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of an entry point and the memory that its values share.

#include "EntryPlanner.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace k3;

static constexpr int64_t maxRank = 8; // K3_MAX_RANK in k3rt.h

EntryPlanner::EntryPlanner(func::FuncOp function, const PlanTables &tables,
                           SymbolNames &symbols)
    : function(function), body(function.getBody().front()), tables(tables),
      symbols(symbols), dimensions(body) {
  entry.name = function.getSymName().str();
}

FailureOr<plan::Entry> EntryPlanner::run() {
  if (failed(planInterface()) || failed(findStorage()) ||
      failed(planOutputs()) || failed(copyUpdatedInputs()) ||
      failed(planCommands()))
    return failure();
  return std::move(entry);
}

int EntryPlanner::symbolOf(Value value, unsigned dim) {
  int symbol = dimensions.symbolOf(value, dim);
  return symbol < 0 ? -1 : symbols.number(dimensions.names()[symbol]);
}

FailureOr<plan::Tensor> EntryPlanner::tensorOf(Value value, std::string name) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<plan::DType> dtype;
  if (type)
    dtype = dtypeOf(type.getElementType());
  if (!dtype || type.getRank() > maxRank)
    return function.emitError("'")
           << name << "' has type " << value.getType()
           << " (wanted a tensor of rank " << maxRank
           << " at most of f32, bf16, f16, f64, i32, i64 or i8)";
  plan::Tensor tensor{std::move(name), *dtype, {}};
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (type.isDynamicDim(i))
      tensor.dims.push_back({symbolOf(value, i), 0});
    else
      tensor.dims.push_back({-1, type.getDimSize(i)});
  }
  return tensor;
}

static plan::Role roleOf(const plan::Tensor &tensor) {
  if (tensor.dtype != plan::DType::I32 || tensor.dims.size() != 1)
    return plan::Role::Plain;
  return llvm::StringSwitch<plan::Role>(tensor.name)
      .Case("tokens", plan::Role::Tokens)
      .Case("cu_seqlens", plan::Role::CuSeqlens)
      .Case("slots", plan::Role::Slots)
      .Case("context_lens", plan::Role::ContextLens)
      .Default(plan::Role::Plain);
}

static std::string nameOr(StringAttr name, const char *otherwise,
                          unsigned index) {
  return name ? name.str() : otherwise + std::to_string(index);
}

LogicalResult EntryPlanner::planInterface() {
  llvm::StringSet<> names;
  for (BlockArgument argument : body.getArguments()) {
    unsigned index = argument.getArgNumber();
    FailureOr<plan::Tensor> tensor =
        tensorOf(argument,
                 nameOr(function.getArgAttrOfType<StringAttr>(index, "k3.name"),
                        "arg", index));
    if (failed(tensor))
      return failure();
    if (!names.insert(tensor->name).second)
      return function.emitError("two inputs have the name '")
             << tensor->name << "'";
    entry.inputs.push_back({*tensor, roleOf(*tensor)});
    open(argument, plan::Place::Input, int(index), /*placed=*/true);
  }
  names.clear();
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    FailureOr<plan::Tensor> tensor = tensorOf(
        value,
        nameOr(function.getResultAttrOfType<StringAttr>(index, "k3.name"),
               "result", index));
    if (failed(tensor))
      return failure();
    if (!names.insert(tensor->name).second)
      return function.emitError("two results have the name '")
             << tensor->name << "'";
    entry.outputs.push_back(*tensor);
  }
  return success();
}

EntryPlanner::Storage &EntryPlanner::open(Value value, plan::Place place,
                                          int index, bool placed) {
  numbers[value] = storages.size();
  Storage storage;
  storage.origin = storage.current = value;
  storage.buffer = {place, index};
  storage.placed = placed;
  storages.push_back(storage);
  return storages.back();
}

LogicalResult EntryPlanner::storeLaunch(LaunchOp launch) {
  for (Value input : launch.getInputs())
    if (storageOf(input).current != input)
      return launch.emitOpError("reads a value that another launch updated in "
                                "place");
  for (auto [from, to] : launch.getUpdates()) {
    Value before = launch.getInputs()[from], after = launch.getResults()[to];
    Storage &storage = storageOf(before);
    if (storage.buffer.place == plan::Place::Weight)
      return launch.emitOpError("updates a weight in place");
    if (storage.current != before || numbers.count(after))
      return launch.emitOpError("updates one value in place twice");
    numbers[after] = numbers.at(before);
    storage.current = after;
    storage.updated = true;
  }
  for (Value result : launch.getResults())
    if (!numbers.count(result))
      open(result, plan::Place::Arena, -1, /*placed=*/false);
  return success();
}

LogicalResult EntryPlanner::storeState(SetStateOp set) {
  Storage &storage = storageOf(set.getValue());
  if (storage.buffer.place != plan::Place::State ||
      storage.buffer.index != tables.states.lookup(set.getState()) ||
      storage.current != set.getValue())
    return set.emitOpError("value is not the state updated in place");
  return success();
}

LogicalResult EntryPlanner::findStorage() {
  for (Operation &op : body.without_terminator()) {
    if (auto get = dyn_cast<GetWeightOp>(op)) {
      open(get.getResult(), plan::Place::Weight,
           tables.weights.lookup(get.getWeight()), /*placed=*/true);
    } else if (auto get = dyn_cast<GetStateOp>(op)) {
      open(get.getResult(), plan::Place::State,
           tables.states.lookup(get.getState()), /*placed=*/true);
    } else if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (failed(storeLaunch(launch)))
        return failure();
    } else if (auto set = dyn_cast<SetStateOp>(op)) {
      if (failed(storeState(set)))
        return failure();
    } else {
      return op.emitOpError("is not in a kernel (wanted launches and access to "
                            "weights and states only)");
    }
  }
  return success();
}
