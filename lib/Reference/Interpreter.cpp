// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a function: operands in, results out, memory freed after the
// last use. Kernels and launches run their bodies.

#include "k3/Reference/Interpreter.h"

#include "Frame.h"
#include "runtime/base/Checked.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

/// The most doubles that one pool may hold: 64 GiB of them.
constexpr int64_t mostPoolElements = int64_t(1) << 33;

LogicalResult StatePools::create(ModuleOp module, int64_t slots,
                                 int64_t capacity, StatePools &out) {
  out.slots = slots;
  out.capacity = capacity;
  for (StateOp state : module.getOps<StateOp>()) {
    Shape shape = {slots};
    for (int64_t dim : cast<RankedTensorType>(state.getType()).getShape())
      shape.push_back(ShapedType::isDynamic(dim) ? capacity : dim);
    int64_t count = 0;
    if (!elementCount(std::vector<int64_t>(shape.begin(), shape.end()),
                      count) ||
        count > mostPoolElements)
      return state.emitError("its pool is too large for the reference");
    out.pools[state.getSymName()] = share(Tensor::ofReals(shape));
  }
  return success();
}

/// Row-wise operands must agree on their rows; types cannot say so.
static LogicalResult checkRows(Operation &op,
                               const DenseMap<Value, TensorPtr> &values) {
  if (!op.hasTrait<k3::OpTrait::RowWise>())
    return success();
  int64_t rows = -1;
  for (Value operand : op.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() == 0 || !type.isDynamicDim(0))
      continue;
    int64_t have = values.find(operand)->second->rows();
    if (rows >= 0 && have != rows)
      return op.emitError("operands have ")
             << rows << " and " << have << " rows";
    rows = have;
  }
  return success();
}

LogicalResult Interpreter::run(func::FuncOp function,
                               ArrayRef<TensorPtr> inputs,
                               SmallVectorImpl<TensorPtr> &results) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("wanted a function of one block");
  if (inputs.size() != function.getNumArguments())
    return function.emitError("wanted ")
           << function.getNumArguments() << " inputs, got " << inputs.size();
  for (auto [index, input] : llvm::enumerate(inputs)) {
    auto type =
        dyn_cast<RankedTensorType>(function.getArgument(index).getType());
    if (!type || !input || !input->fits(type))
      return function.emitError("input ")
             << index << " is not a value of "
             << function.getArgument(index).getType();
  }
  updates.clear();
  if (failed(runBlock(function.getBody().front(), inputs, results)))
    return failure();
  for (auto &update : updates)
    pools->pools[update.getKey()] = update.getValue();
  return success();
}

LogicalResult Interpreter::runBlock(Block &block, ArrayRef<TensorPtr> inputs,
                                    SmallVectorImpl<TensorPtr> &results) {
  Values values;
  DenseMap<Value, Operation *> lastUse;
  for (Operation &op : block)
    for (Value operand : op.getOperands())
      lastUse[operand] = &op;
  for (auto [argument, input] : llvm::zip_equal(block.getArguments(), inputs))
    values[argument] = input;
  for (Operation &op : block.without_terminator()) {
    if (failed(checkRows(op, values)) || failed(runOp(op, values)) ||
        failed(finishOp(op, values)))
      return failure();
    for (Value operand : op.getOperands())
      if (lastUse[operand] == &op)
        values.erase(operand);
    for (Value result : op.getResults())
      if (result.use_empty())
        values.erase(result);
  }
  results.clear();
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(values[result]);
  return success();
}

LogicalResult Interpreter::runOp(Operation &op, Values &values) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](GetWeightOp get) { return getWeight(get, values); })
      .Case([&](GetStateOp get) { return getState(get, values); })
      .Case([&](SetStateOp set) { return setState(set, values); })
      .Case([&](KernelOp kernel) {
        return runNested(op, kernel.getBody().front(), values);
      })
      .Case([&](LaunchOp launch) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<KernelFuncOp>(
            launch, launch.getCalleeAttr());
        if (!callee)
          return LogicalResult(launch.emitError("no such kernel"));
        return runNested(op, callee.getBody().front(), values);
      })
      .Default([&](Operation *other) {
        Frame frame(values);
        return evaluate(other, frame);
      });
}

LogicalResult Interpreter::finishOp(Operation &op, Values &values) {
  for (OpResult result : op.getResults()) {
    TensorPtr &value = values[result];
    if (observer)
      observer(result, value);
    if (!value->fits(cast<RankedTensorType>(result.getType())))
      return op.emitError("result ")
             << result.getResultNumber() << " is not a value of "
             << result.getType();
  }
  return success();
}

LogicalResult Interpreter::getWeight(GetWeightOp op, Values &values) {
  auto weight =
      SymbolTable::lookupNearestSymbolFrom<WeightOp>(op, op.getWeightAttr());
  if (!weight)
    return op.emitError("no such weight");
  if (!weights)
    return op.emitError("the run has no weights");
  k3::Status status = weights->load(weight, values[op.getResult()]);
  if (!status.ok())
    return op.emitError(status.render());
  return success();
}

LogicalResult Interpreter::getState(GetStateOp op, Values &values) {
  if (!pools || !pools->pools.contains(op.getState()))
    return op.emitError("the run has no such state");
  auto update = updates.find(op.getState());
  values[op.getResult()] = update == updates.end() ? pools->pools[op.getState()]
                                                   : update->getValue();
  return success();
}

LogicalResult Interpreter::setState(SetStateOp op, Values &values) {
  if (!pools || !pools->pools.contains(op.getState()))
    return op.emitError("the run has no such state");
  updates[op.getState()] = values[op.getValue()];
  return success();
}

LogicalResult Interpreter::runNested(Operation &op, Block &body,
                                     Values &values) {
  SmallVector<TensorPtr> inputs, results;
  for (Value operand : op.getOperands())
    inputs.push_back(values[operand]);
  if (failed(runBlock(body, inputs, results)))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    values[result] = value;
  return success();
}
