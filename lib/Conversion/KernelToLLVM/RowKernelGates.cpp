// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of gates and gated linear units.

#include "RowKernel.h"

using namespace mlir;

namespace k3 {

static Value decay(RowMath &math, GateOp op, Value z, Value rate) {
  auto scaled = [&](Value x) { return rate ? math.mul(rate, x) : x; };
  switch (op.getMap()) {
  case GateMap::Bounded:
    return math.mul(math.sigmoid(scaled(z)),
                    op.getLowerBound()->convertToDouble());
  case GateMap::Softplus:
    return math.neg(scaled(math.softplus(z)));
  case GateMap::LogSigmoid: // log(sigmoid(z)) = -softplus(-z)
    return math.div(math.neg(scaled(math.softplus(math.neg(z)))),
                    op.getNormalizer()->convertToDouble());
  }
  llvm_unreachable("no such gate map");
}

void emitRow(RowKernel &kernel, GateOp op) {
  bool perChannel = cast<RankedTensorType>(op.getZ().getType()).getRank() == 3;
  SmallVector<RowInput> inputs{{kernel.rowOf(op.getZ())}};
  if (op.getALog())
    inputs.push_back({kernel.whole(op.getALog()),
                      perChannel ? Along::Head : Along::Channel});
  if (op.getDtBias())
    inputs.push_back({kernel.whole(op.getDtBias()),
                      perChannel ? Along::Row : Along::Channel});
  kernel.compute(
      inputs, kernel.rowOf(op.getResult()), [&](RowMath &math, ValueRange in) {
        Value rate = op.getALog() ? math.exp(in[1]) : Value();
        Value z = op.getDtBias() ? math.add(in[0], in.back()) : in[0];
        return decay(math, op, z, rate);
      });
}

void emitRow(RowKernel &kernel, SigmoidOp op) {
  kernel.compute({{kernel.rowOf(op.getX())}}, kernel.rowOf(op.getResult()),
                 [&](RowMath &math, ValueRange in) {
                   return math.mul(math.sigmoid(in[0]),
                                   op.getScale().convertToDouble());
                 });
}

void emitRow(RowKernel &kernel, OutputGateOp op) {
  kernel.compute(
      {{kernel.rowOf(op.getX())}, {kernel.rowOf(op.getGate())}},
      kernel.rowOf(op.getResult()), [&](RowMath &math, ValueRange in) {
        return math.mul(in[0], math.activate(op.getActivation(), in[1]));
      });
}

/// limit * tanh(x / limit).
static Value softLimit(RowMath &math, Value x, double limit) {
  return math.mul(math.tanh(math.div(x, limit)), limit);
}

void emitRow(RowKernel &kernel, SituGluOp op) {
  kernel.compute(
      {{kernel.rowOf(op.getGate())}, {kernel.rowOf(op.getUp())}},
      kernel.rowOf(op.getResult()), [&](RowMath &math, ValueRange in) {
        double beta = op.getBeta().convertToDouble();
        Value gate =
            math.mul(softLimit(math, in[0], beta), math.sigmoid(in[0]));
        Value up = in[1];
        if (op.getLinearBeta())
          up = softLimit(math, up, op.getLinearBeta()->convertToDouble());
        return math.mul(gate, up);
      });
}

void emitRow(RowKernel &kernel, SwigluOp op) {
  kernel.compute(
      {{kernel.rowOf(op.getGate())}, {kernel.rowOf(op.getUp())}},
      kernel.rowOf(op.getResult()), [&](RowMath &math, ValueRange in) {
        return math.mul(math.activate(Activation::Silu, in[0]), in[1]);
      });
}

} // namespace k3
