// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs functions of k3 ops in double precision. Nothing is rounded to the
// element types; they only say how inputs and weights are read.

#ifndef K3_REFERENCE_INTERPRETER_H
#define K3_REFERENCE_INTERPRETER_H

#include "k3/Dialect/K3/IR/K3.h"
#include "k3/Reference/Tensor.h"
#include "k3/Reference/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace k3::reference {

/// Pools of the module's states, by name; they live between runs.
struct StatePools {
  /// Zeroed pools. Fails with a diagnostic when they are too large.
  static mlir::LogicalResult create(mlir::ModuleOp module, int64_t slots,
                                    int64_t capacity, StatePools &out);

  int64_t slots = 0, capacity = 0;
  llvm::StringMap<TensorPtr> pools;
};

/// One thread at a time. Problems are diagnostics at the op they are found at.
class Interpreter {
public:
  /// Sees each result of an op as it is made and may put another value in its
  /// place.
  using Observer = std::function<void(mlir::OpResult, TensorPtr &)>;

  /// `weights` and `pools` may be null when the module has none.
  Interpreter(mlir::ModuleOp module, WeightSource *weights, StatePools *pools)
      : module(module), weights(weights), pools(pools) {}

  void observe(Observer newObserver) { observer = std::move(newObserver); }

  /// States change only when the run succeeds.
  mlir::LogicalResult run(mlir::func::FuncOp function,
                          llvm::ArrayRef<TensorPtr> inputs,
                          llvm::SmallVectorImpl<TensorPtr> &results);

private:
  using Values = llvm::DenseMap<mlir::Value, TensorPtr>;

  mlir::LogicalResult runBlock(mlir::Block &block,
                               llvm::ArrayRef<TensorPtr> inputs,
                               llvm::SmallVectorImpl<TensorPtr> &results);
  mlir::LogicalResult runOp(mlir::Operation &op, Values &values);
  mlir::LogicalResult getWeight(GetWeightOp op, Values &values);
  mlir::LogicalResult getState(GetStateOp op, Values &values);
  mlir::LogicalResult setState(SetStateOp op, Values &values);
  mlir::LogicalResult runNested(mlir::Operation &op, mlir::Block &body,
                                Values &values);
  mlir::LogicalResult finishOp(mlir::Operation &op, Values &values);

  mlir::ModuleOp module;
  WeightSource *weights;
  StatePools *pools;
  Observer observer;
  llvm::StringMap<TensorPtr> updates; // of pools, by this run
};

} // namespace k3::reference

#endif // K3_REFERENCE_INTERPRETER_H
