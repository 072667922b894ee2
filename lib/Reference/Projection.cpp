// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with weights, and views.

#include "Frame.h"
#include "Matrix.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

LogicalResult k3::reference::evaluate(LinearOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()], &weight = frame[op.getWeight()];
  Tensor out = Tensor::ofReals(shapeLike(x, op.getResult()));
  int64_t inputs = x.shape[1];
  multiply(x.reals.data(), inputs, weight.reals.data(), inputs,
           out.reals.data(), x.rows(), weight.rows(), inputs);
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(ReshapeOp op, Frame &frame) {
  Tensor out = frame[op.getX()];
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getResult().getType()).getShape();
  int64_t rows = out.rows();
  out.shape.assign(shape.begin(), shape.end());
  out.shape.front() = rows;
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(SliceOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()];
  Tensor out = Tensor::ofReals(shapeLike(x, op.getResult()));
  int64_t from = x.shape.back(), to = out.shape.back();
  for (int64_t i = 0; i < out.count(); ++i)
    out.reals[i] = x.reals[i / to * from + op.getOffset() + i % to];
  frame.set(op.getResult(), std::move(out));
  return success();
}
