// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of row-wise ops: a workgroup owns a block of rows and walks its ops
// row by row, so that what lies between two ops stays in the nearest cache.
// The row of every value is a memref [H, K]; a rank-2 value has H = 1.

#ifndef K3_CONVERSION_KERNELTOLLVM_ROWKERNEL_H
#define K3_CONVERSION_KERNELTOLLVM_ROWKERNEL_H

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace k3 {

/// fp32 formulas of scalars.
class RowMath {
public:
  RowMath(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value constant(double value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, double y) { return add(x, constant(y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, double y) { return mul(x, constant(y)); }
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, double y) { return div(x, constant(y)); }
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value neg(mlir::Value x);
  mlir::Value exp(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value rsqrt(mlir::Value x);
  mlir::Value sigmoid(mlir::Value x);
  /// log(1 + exp(x)), as max(x, 0) + log1p(exp(-|x|)).
  mlir::Value softplus(mlir::Value x);
  mlir::Value activate(Activation activation, mlir::Value x);
  /// Rounds to `element` and widens again.
  mlir::Value roundTo(mlir::Value x, mlir::Type element);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// How an input is read inside the loops over (h, k) of a row.
enum class Along {
  Row,     ///< [H, K] at (h, k)
  Channel, ///< [K] at k
  Head     ///< [H] at h
};

struct RowInput {
  mlir::Value memref;
  Along along = Along::Row;
};

enum class Reduction { Sum, Max };

class RowKernel {
public:
  /// The formula of one element; floats come in as fp32.
  using Body = llvm::function_ref<mlir::Value(RowMath &, mlir::ValueRange)>;

  explicit RowKernel(KernelFrame &frame)
      : frame(frame), b(frame.builder()), loc(frame.loc()) {}

  mlir::FailureOr<KernelGrid> lower();

  /// The row of an argument, of a yielded value or of an inner one, whose
  /// memory is made when it is first asked for.
  mlir::Value rowOf(mlir::Value tensor);
  /// An input without rows, such as a weight.
  mlir::Value whole(mlir::Value tensor) { return frame.bufferOf(tensor); }

  /// out[h, k] = body(inputs...), rounded to the element type of `out`.
  void compute(llvm::ArrayRef<RowInput> inputs, mlir::Value out, Body body);
  /// One fp32 number a head: the reduction of body(inputs...) over k. It can
  /// be an `Along::Head` input.
  mlir::Value reduce(Reduction kind, llvm::ArrayRef<RowInput> inputs,
                     Body body);

  KernelFrame &frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value row;

private:
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  mlir::Value rowOfBuffer(mlir::Value buffer);
  void copyToResults();
  int64_t rowsOfTile();

  llvm::DenseMap<mlir::Value, mlir::Value> rows;
};

// One function an op; each writes the rows of the op's results.
void emitRow(RowKernel &kernel, RMSNormOp op);
void emitRow(RowKernel &kernel, GatedRMSNormOp op);
void emitRow(RowKernel &kernel, L2NormOp op);
void emitRow(RowKernel &kernel, GateOp op);
void emitRow(RowKernel &kernel, SigmoidOp op);
void emitRow(RowKernel &kernel, OutputGateOp op);
void emitRow(RowKernel &kernel, SituGluOp op);
void emitRow(RowKernel &kernel, SwigluOp op);
void emitRow(RowKernel &kernel, AddOp op);
void emitRow(RowKernel &kernel, AttnResOp op);
void emitRow(RowKernel &kernel, SliceOp op);
void emitRow(RowKernel &kernel, EmbeddingOp op);
void emitRow(RowKernel &kernel, RouterOp op);

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_ROWKERNEL_H
