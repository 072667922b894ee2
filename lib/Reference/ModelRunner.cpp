// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, slots and lengths around the interpreter.

#include "k3/Reference/ModelRunner.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

std::string k3::reference::inputName(func::FuncOp function, unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(index, "k3.name"))
    return name.str();
  return "arg" + std::to_string(index);
}

std::string k3::reference::outputName(func::FuncOp function, unsigned index) {
  if (auto name = function.getResultAttrOfType<StringAttr>(index, "k3.name"))
    return name.str();
  return "result" + std::to_string(index);
}

LogicalResult ModelRunner::create(ModuleOp module, WeightSource *weights,
                                  int64_t slots, int64_t capacity,
                                  std::unique_ptr<ModelRunner> &out) {
  std::unique_ptr<ModelRunner> runner(new ModelRunner(module));
  if (failed(StatePools::create(module, slots, capacity, runner->pools)))
    return failure();
  runner->lengths.assign(slots, 0);
  runner->interpreter =
      std::make_unique<Interpreter>(module, weights, &runner->pools);
  out = std::move(runner);
  return success();
}

func::FuncOp ModelRunner::findEntry(StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (function)
    return function;
  std::string known;
  for (func::FuncOp other : module.getOps<func::FuncOp>())
    known += (known.empty() ? "'" : ", '") + other.getSymName().str() + "'";
  module.emitError("no entry point '")
      << entry << "' (the module has " << (known.empty() ? "none" : known)
      << ")";
  return nullptr;
}

TensorPtr ModelRunner::contextLens(const NamedTensors &inputs) const {
  auto slots = inputs.find("slots");
  if (slots == inputs.end())
    return nullptr;
  Tensor lens = Tensor::ofIntegers(slots->second->shape);
  for (auto [slot, length] :
       llvm::zip_equal(slots->second->integers, lens.integers))
    if (slot >= 0 && slot < int64_t(lengths.size()))
      length = lengths[slot];
  return share(std::move(lens));
}

void ModelRunner::advance(const NamedTensors &inputs) {
  auto slots = inputs.find("slots"), bounds = inputs.find("cu_seqlens");
  if (slots == inputs.end() || bounds == inputs.end())
    return;
  ArrayRef<int32_t> cuts = bounds->second->integers;
  for (auto [n, slot] : llvm::enumerate(slots->second->integers))
    if (slot >= 0)
      lengths[slot] += cuts[n + 1] - cuts[n];
}

LogicalResult ModelRunner::run(StringRef entry, const NamedTensors &inputs,
                               NamedTensors &outputs) {
  func::FuncOp function = findEntry(entry);
  if (!function)
    return failure();
  SmallVector<TensorPtr> arguments, results;
  bool suppliesLengths = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::string name = inputName(function, i);
    auto given = inputs.find(name);
    TensorPtr value = given == inputs.end() ? nullptr : given->second;
    if (!value && name == "context_lens") {
      value = contextLens(inputs);
      suppliesLengths = true;
    }
    if (!value)
      return function.emitError("input '") << name << "' is missing";
    arguments.push_back(std::move(value));
  }
  if (failed(interpreter->run(function, arguments, results)))
    return failure();
  if (suppliesLengths)
    advance(inputs);
  for (auto [i, result] : llvm::enumerate(results))
    outputs[outputName(function, i)] = result;
  return success();
}

TensorPtr ModelRunner::pool(StringRef state) const {
  return pools.pools.lookup(state);
}

void ModelRunner::fillPools(double value) {
  for (auto &pool : pools.pools) {
    Tensor filled = *pool.getValue();
    std::fill(filled.reals.begin(), filled.reals.end(), value);
    pool.getValue() = share(std::move(filled));
  }
}
