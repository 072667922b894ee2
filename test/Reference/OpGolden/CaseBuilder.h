// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a function whose arguments come with their values.

#ifndef K3_TEST_REFERENCE_OPGOLDEN_CASEBUILDER_H
#define K3_TEST_REFERENCE_OPGOLDEN_CASEBUILDER_H

#include "OpCase.h"

#include "mlir/IR/Builders.h"

namespace k3::golden {

class CaseBuilder {
public:
  CaseBuilder(mlir::MLIRContext &context, bool bf16, std::string name);

  mlir::OpBuilder &builder() { return opBuilder; }
  mlir::Location loc() { return opBuilder.getUnknownLoc(); }

  /// Arguments. The leading dimension of `rows`, `fp32` and `integers` is
  /// dynamic.
  mlir::Value rows(llvm::StringRef name, Tensor value); ///< activations
  mlir::Value fp32(llvm::StringRef name, Tensor value); ///< always F32
  mlir::Value integers(llvm::StringRef name, std::vector<int32_t> values);
  mlir::Value fixed(llvm::StringRef name, Tensor value); ///< static, F32 or I8
  /// A weight of the module: static, F32 or I8.
  mlir::Value weight(llvm::StringRef name, Tensor value);
  mlir::Value indices(llvm::StringRef name, Tensor value); ///< [?, n] of I32

  /// Types with a dynamic leading dimension.
  mlir::RankedTensorType rowsType(llvm::ArrayRef<int64_t> rowShape) const;
  mlir::RankedTensorType fp32Type(llvm::ArrayRef<int64_t> rowShape) const;

  /// `count` sequences of `tokens` tokens each, in slots of their own.
  void sequences(int64_t count, int64_t tokens, int32_t contextLength);
  void sequences(std::vector<int32_t> bounds, std::vector<int32_t> slots,
                 std::vector<int32_t> lengths);
  mlir::Value cuSeqlens, slots, contextLens;

  void result(llvm::StringRef name, mlir::Value value);
  void result(llvm::StringRef name, mlir::Value value, Tensor expected,
              int64_t row = -1);

  OpCase finish(double f32Tolerance, double bf16Tolerance);

private:
  mlir::Value argument(llvm::StringRef name, Tensor value, mlir::Type type);
  mlir::Type withDynamicRows(const Tensor &value, mlir::Type element);

  OpCase made;
  mlir::OpBuilder opBuilder;
  mlir::Type activation;
  mlir::func::FuncOp function;
  std::vector<std::string> inputNames, resultNames;
  llvm::SmallVector<mlir::Value> results;
};

} // namespace k3::golden

#endif // K3_TEST_REFERENCE_OPGOLDEN_CASEBUILDER_H
