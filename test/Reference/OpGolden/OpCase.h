// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A golden case of one operation: a module, inputs, and what it must give. The
// same cases run on the reference and on compiled code.

#ifndef K3_TEST_REFERENCE_OPGOLDEN_OPCASE_H
#define K3_TEST_REFERENCE_OPGOLDEN_OPCASE_H

#include "k3/Reference/ModelRunner.h"

#include "mlir/IR/OwningOpRef.h"

namespace k3::golden {

using reference::NamedTensors;
using reference::Tensor;
using reference::TensorPtr;

struct Expected {
  TensorPtr value;
  /// Compare this index of the leading dimension only; all when negative.
  int64_t row = -1;
};

struct OpCase {
  std::string name; ///< "kda/b130_k3"
  /// One function, `main`, whose arguments and results have names.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  NamedTensors inputs;
  NamedTensors weights; ///< of the module's k3.weight ops, by their source
  std::map<std::string, Expected> outputs;
  /// Norm of the difference over norm of the golden value: what the manifest
  /// suggests for float32 and bf16 implementations; 0 when it does not.
  double f32Tolerance = 0, bf16Tolerance = 0;
};

/// Builds the cases of manifest.json in `folder`. With `bf16`, activations are
/// BF16 and everything that must be fp32 stays so; otherwise all is F32.
Status loadOpCases(mlir::MLIRContext &context, const std::string &folder,
                   bool bf16, std::vector<OpCase> &out);

/// The weights of a case.
class CaseWeights : public reference::WeightSource {
public:
  explicit CaseWeights(const OpCase &made) : made(made) {}
  Status load(WeightOp weight, TensorPtr &out) override {
    out = made.weights.at(weight.getSource().str());
    return {};
  }

private:
  const OpCase &made;
};

/// |actual - expected| / |expected|; infinite when shapes or NaNs differ.
double relativeError(const Tensor &actual, const Expected &expected);

} // namespace k3::golden

#endif // K3_TEST_REFERENCE_OPGOLDEN_OPCASE_H
