// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner product of a block of rows with panels of a weight, in the form
// that the element types, the packing and the CPU level call for.

#ifndef K3_CONVERSION_KERNELTOLLVM_PANELPRODUCT_H
#define K3_CONVERSION_KERNELTOLLVM_PANELPRODUCT_H

#include "VectorMath.h"

namespace k3 {

/// Output columns of one panel: one AVX-512 or two AVX2 accumulators.
constexpr int64_t panelWidth = 16;

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

class PanelProduct {
public:
  static mlir::FailureOr<PanelProduct> create(VectorMath &math, LinearOp op);

  /// Computes and stores rows [row, +rows) x panels [panel, +panels).
  void emit(mlir::Value row, int64_t rows, mlir::Value panel, int64_t panels);

private:
  /// How one step of the sum is done.
  enum class Form {
    Bf16Dot,  ///< two bf16 inputs with vdpbf16ps
    Pairs,    ///< two inputs, bf16 weights widened, fp32 fma
    Single,   ///< one input, fp32 weights, fma
    Unpacked, ///< row-major weight, lanes along the inputs
  };

  PanelProduct(VectorMath &math, LinearOp op, Form form)
      : math(math), op(op), form(form) {}

  VectorMath::Values step(mlir::Value k, mlir::Value row, int64_t rows,
                          mlir::Value panel, int64_t panels,
                          mlir::ValueRange sums);
  void emitUnpacked(mlir::Value row, int64_t rows, mlir::Value panel,
                    int64_t panels);

  VectorMath &math;
  LinearOp op;
  Form form;
  mlir::Value x, xPairs, weight, result;
  int64_t inputs = 0, outputs = 0;
};

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_PANELPRODUCT_H
