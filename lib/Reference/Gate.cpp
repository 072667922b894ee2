// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decays, strengths and gates.

#include "Frame.h"
#include "Scalar.h"
#include "Zip.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

static double logDecay(GateOp op, double z, double a) {
  switch (op.getMap()) {
  case GateMap::Bounded:
    return op.getLowerBound()->convertToDouble() * sigmoid(a * z);
  case GateMap::Softplus:
    return -a * softplus(z);
  case GateMap::LogSigmoid:
    // log(sigmoid(z)) = -softplus(-z) keeps its digits for any z.
    return -a * softplus(-z) / op.getNormalizer()->convertToDouble();
  }
  return 0;
}

LogicalResult k3::reference::evaluate(GateOp op, Frame &frame) {
  const Tensor &z = frame[op.getZ()];
  const Tensor *aLog = frame.find(op.getALog());
  const Tensor *bias = frame.find(op.getDtBias());
  int64_t heads = z.shape[1], width = z.shape.size() == 3 ? z.shape[2] : 1;
  Tensor out = Tensor::ofReals(z.shape);
  for (int64_t i = 0; i < z.count(); ++i) {
    int64_t head = i / width % heads;
    double shifted = z.reals[i];
    if (bias)
      shifted += bias->shape.size() == 2 ? bias->reals[i % (heads * width)]
                                         : bias->reals[head];
    out.reals[i] =
        logDecay(op, shifted, aLog ? std::exp(aLog->reals[head]) : 1);
  }
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(SigmoidOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()];
  double scale = op.getScale().convertToDouble();
  frame.set(op.getResult(), zip(x, x, [&](double value, double) {
              return scale * sigmoid(value);
            }));
  return success();
}

LogicalResult k3::reference::evaluate(OutputGateOp op, Frame &frame) {
  frame.set(op.getResult(), zip(frame[op.getX()], frame[op.getGate()],
                                [&](double x, double gate) {
                                  return x * activate(op.getActivation(), gate);
                                }));
  return success();
}

LogicalResult k3::reference::evaluate(SituGluOp op, Frame &frame) {
  double beta = op.getBeta().convertToDouble();
  std::optional<double> linearBeta;
  if (op.getLinearBeta())
    linearBeta = op.getLinearBeta()->convertToDouble();
  frame.set(op.getResult(), zip(frame[op.getGate()], frame[op.getUp()],
                                [&](double gate, double up) {
                                  return situ(gate, up, beta, linearBeta);
                                }));
  return success();
}

LogicalResult k3::reference::evaluate(SwigluOp op, Frame &frame) {
  frame.set(op.getResult(),
            zip(frame[op.getGate()], frame[op.getUp()], swiglu));
  return success();
}
