// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of the normalisations.

#include "RowKernel.h"

using namespace mlir;

namespace k3 {

static Value sumOfSquares(RowKernel &kernel, Value row) {
  return kernel.reduce(
      Reduction::Sum, {{row}},
      [](RowMath &math, ValueRange in) { return math.mul(in[0], in[0]); });
}

static int64_t lastDim(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape().back();
}

/// x / sqrt(mean(x^2) + eps), from the sum of squares.
static Value normalized(RowMath &math, Value x, Value squares, int64_t width,
                        const APFloat &eps) {
  Value mean = math.div(squares, double(width));
  return math.mul(x, math.rsqrt(math.add(mean, eps.convertToDouble())));
}

void emitRow(RowKernel &kernel, RMSNormOp op) {
  Value x = kernel.rowOf(op.getX());
  int64_t width = lastDim(op.getX());
  Type element = getElementTypeOrSelf(op.getX().getType());
  kernel.compute({{x},
                  {sumOfSquares(kernel, x), Along::Head},
                  {kernel.whole(op.getWeight()), Along::Channel}},
                 kernel.rowOf(op.getResult()),
                 [&](RowMath &math, ValueRange in) {
                   Value n = normalized(math, in[0], in[1], width, op.getEps());
                   if (op.getRoundBeforeWeight())
                     n = math.roundTo(n, element);
                   return math.mul(n, in[2]);
                 });
}

void emitRow(RowKernel &kernel, GatedRMSNormOp op) {
  Value x = kernel.rowOf(op.getX());
  int64_t width = lastDim(op.getX());
  kernel.compute({{x},
                  {sumOfSquares(kernel, x), Along::Head},
                  {kernel.whole(op.getWeight()), Along::Channel},
                  {kernel.rowOf(op.getGate())}},
                 kernel.rowOf(op.getResult()),
                 [&](RowMath &math, ValueRange in) {
                   Value n = normalized(math, in[0], in[1], width, op.getEps());
                   return math.mul(math.mul(n, in[2]),
                                   math.activate(op.getActivation(), in[3]));
                 });
}

void emitRow(RowKernel &kernel, L2NormOp op) {
  Value x = kernel.rowOf(op.getX());
  kernel.compute(
      {{x}, {sumOfSquares(kernel, x), Along::Head}},
      kernel.rowOf(op.getResult()), [&](RowMath &math, ValueRange in) {
        Value inverse =
            math.rsqrt(math.add(in[1], op.getEps().convertToDouble()));
        return math.mul(math.mul(in[0], inverse),
                        op.getScale().convertToDouble());
      });
}

} // namespace k3
