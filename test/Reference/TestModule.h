// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules from text, run on the reference.

#ifndef K3_TEST_REFERENCE_TESTMODULE_H
#define K3_TEST_REFERENCE_TESTMODULE_H

#include "k3/Reference/ModelRunner.h"

#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace k3::reference {

/// A module whose function `main` has named arguments and results.
class TestModule {
public:
  explicit TestModule(const std::string &text);

  /// Results by name; empty when the run failed, with the reason in `message`.
  NamedTensors run(const NamedTensors &inputs);
  std::string message;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TensorPtr reals(llvm::ArrayRef<int64_t> shape, std::vector<double> values);
TensorPtr integers(std::vector<int32_t> values);
/// The same number everywhere.
TensorPtr filled(llvm::ArrayRef<int64_t> shape, double value);

void expectNear(const TensorPtr &actual, const std::vector<double> &wanted,
                double tolerance);

/// A delta_rule over arguments q, k, v, g, beta, h0, bounds, places, lengths
/// with results o and h: KDA unless `decay` is another one.
struct DeltaSpec {
  int64_t heads = 1, valueHeads = 1, keyWidth = 2, valueWidth = 2;
  double scale = 1;
  bool stateVFirst = false;
};
std::string deltaModule(DeltaSpec spec);

} // namespace k3::reference

#endif // K3_TEST_REFERENCE_TESTMODULE_H
