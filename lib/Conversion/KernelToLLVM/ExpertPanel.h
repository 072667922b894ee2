// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of one row with one panel of an expert's weight.

#ifndef K3_CONVERSION_KERNELTOLLVM_EXPERTPANEL_H
#define K3_CONVERSION_KERNELTOLLVM_EXPERTPANEL_H

#include "PanelProduct.h"

namespace k3 {

class ExpertPanel {
public:
  /// `scales` is null unless the weight is MXFP4.
  static mlir::FailureOr<ExpertPanel>
  create(VectorMath &math, mlir::Operation *op, mlir::Value weight,
         mlir::Value scales, Packing packing);

  /// sum_k row[at.., k] * weight[expert, 16 * panel .., k] as a panel vector;
  /// lanes past the last output hold zeros or, unpacked, are not stored.
  mlir::Value product(mlir::Value row, llvm::ArrayRef<mlir::Value> at,
                      mlir::Value expert, mlir::Value panel);

private:
  explicit ExpertPanel(VectorMath &math) : math(math) {}
  mlir::Value pairs(mlir::Value row, llvm::ArrayRef<mlir::Value> at,
                    mlir::Value expert, mlir::Value panel);
  mlir::Value singles(mlir::Value row, llvm::ArrayRef<mlir::Value> at,
                      mlir::Value expert, mlir::Value panel);
  mlir::Value nibbles(mlir::Value row, llvm::ArrayRef<mlir::Value> at,
                      mlir::Value expert, mlir::Value panel);
  mlir::Value widenNibbles(mlir::Value codes);
  mlir::Value widenScales(mlir::Value bytes);

  VectorMath &math;
  Packing packing = Packing::None;
  mlir::Value weight, scales;
  int64_t inputs = 0;
};

/// The low and the high bf16 of each 32-bit lane as fp32.
std::pair<mlir::Value, mlir::Value> widenPairs(VectorMath &math,
                                               mlir::Value pairs);

/// Stores panel `panel` of a row of `outputs` elements, the last one cut.
void storePanel(VectorMath &math, mlir::Value vector, mlir::Value memref,
                llvm::ArrayRef<mlir::Value> at, mlir::Value panel,
                int64_t outputs);

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_EXPERTPANEL_H
