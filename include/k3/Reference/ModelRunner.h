// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points by name, as the runtime serves them: the caller gives tokens,
// cu_seqlens and slots, and lengths of slots are kept here.

#ifndef K3_REFERENCE_MODELRUNNER_H
#define K3_REFERENCE_MODELRUNNER_H

#include "k3/Reference/Interpreter.h"

#include <map>

namespace k3::reference {

using NamedTensors = std::map<std::string, TensorPtr>;

/// The `k3.name` of an argument or result; "arg0" or "result0" without one.
std::string inputName(mlir::func::FuncOp function, unsigned index);
std::string outputName(mlir::func::FuncOp function, unsigned index);

class ModelRunner {
public:
  /// `weights` may be null when the module has none.
  static mlir::LogicalResult create(mlir::ModuleOp module,
                                    WeightSource *weights, int64_t slots,
                                    int64_t capacity,
                                    std::unique_ptr<ModelRunner> &out);

  /// Supplies `context_lens` when the entry wants it and the caller does not
  /// give it; then a run that succeeds advances the lengths of its slots.
  mlir::LogicalResult run(llvm::StringRef entry, const NamedTensors &inputs,
                          NamedTensors &outputs);

  /// Null when there is no function of that name; a diagnostic lists those
  /// there are.
  mlir::func::FuncOp findEntry(llvm::StringRef entry);

  void observe(Interpreter::Observer observer) {
    interpreter->observe(std::move(observer));
  }
  int64_t length(int64_t slot) const { return lengths[slot]; }
  /// Makes a slot fresh. Its memory is not touched, which must not matter.
  void reset(int64_t slot) { lengths[slot] = 0; }
  /// The pool of a state, or null.
  TensorPtr pool(llvm::StringRef state) const;
  /// Puts the same value everywhere, as a pool that was used before.
  void fillPools(double value);

private:
  ModelRunner(mlir::ModuleOp module) : module(module) {}
  TensorPtr contextLens(const NamedTensors &inputs) const;
  void advance(const NamedTensors &inputs);

  mlir::ModuleOp module;
  StatePools pools;
  std::vector<int64_t> lengths;
  std::unique_ptr<Interpreter> interpreter;
};

} // namespace k3::reference

#endif // K3_REFERENCE_MODELRUNNER_H
