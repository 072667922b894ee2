// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations over the last dimension.

#include "Frame.h"
#include "Scalar.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

/// Calls `row(from, to)` for every vector along the last dimension.
template <class Function>
static Tensor mapVectors(const Tensor &x, Function row) {
  Tensor out = Tensor::ofReals(x.shape);
  int64_t width = x.shape.back();
  for (int64_t begin = 0; width > 0 && begin < x.count(); begin += width)
    row(x.reals.data() + begin, out.reals.data() + begin, begin);
  return out;
}

LogicalResult k3::reference::evaluate(RMSNormOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()], &weight = frame[op.getWeight()];
  int64_t width = x.shape.back();
  double eps = op.getEps().convertToDouble();
  frame.set(op.getResult(),
            mapVectors(x, [&](const double *from, double *to, int64_t) {
              double scale =
                  1 / std::sqrt(dot(from, from, width) / width + eps);
              for (int64_t i = 0; i < width; ++i)
                to[i] = from[i] * scale * weight.reals[i];
            }));
  return success();
}

LogicalResult k3::reference::evaluate(GatedRMSNormOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()], &weight = frame[op.getWeight()];
  const Tensor &gate = frame[op.getGate()];
  int64_t width = x.shape.back();
  double eps = op.getEps().convertToDouble();
  frame.set(op.getResult(),
            mapVectors(x, [&](const double *from, double *to, int64_t begin) {
              double scale =
                  1 / std::sqrt(dot(from, from, width) / width + eps);
              for (int64_t i = 0; i < width; ++i)
                to[i] = from[i] * scale * weight.reals[i] *
                        activate(op.getActivation(), gate.reals[begin + i]);
            }));
  return success();
}

LogicalResult k3::reference::evaluate(L2NormOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()];
  int64_t width = x.shape.back();
  double eps = op.getEps().convertToDouble();
  double factor = op.getScale().convertToDouble();
  frame.set(op.getResult(),
            mapVectors(x, [&](const double *from, double *to, int64_t) {
              double scale = factor / std::sqrt(dot(from, from, width) + eps);
              for (int64_t i = 0; i < width; ++i)
                to[i] = from[i] * scale;
            }));
  return success();
}
