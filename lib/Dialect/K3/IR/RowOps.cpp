// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folders of the row-wise ops: embedding, norms, projections,
// gates, residuals.

#include "Check.h"

using namespace mlir;
using namespace k3;

LogicalResult EmbeddingOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  return checkShape(*this, "result", getResult(), // C1
                    {dimOf(getIds(), 0), dimOf(getTable(), 1)});
}

LogicalResult LastTokenOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  if (dimOf(getResult(), 1) != dimOf(getX(), 1) ||
      tensorOf(getResult()).getElementType() !=
          tensorOf(getX()).getElementType()) // C1
    return emitOpError("'result' must have the row type of 'x', got ")
           << getResult().getType() << " and " << getX().getType();
  return success();
}

LogicalResult RMSNormOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "result", getResult(), getX())) ||      // C1
      failed(checkShape(*this, "weight", getWeight(), {lastDim(getX())}))) // C2
    return failure();
  return checkPositive(*this, "eps", getEps()); // C3
}

LogicalResult GatedRMSNormOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "gate", getGate(), getX())) ||          // C1
      failed(checkSameShape(*this, "result", getResult(), getX())) ||      // C1
      failed(checkShape(*this, "weight", getWeight(), {lastDim(getX())}))) // C2
    return failure();
  return checkPositive(*this, "eps", getEps()); // C3
}

LogicalResult L2NormOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "result", getResult(), getX())) || // C1
      failed(checkPositive(*this, "eps", getEps())))                  // C2
    return failure();
  if (!getScale().isFinite() || getScale().isZero()) // C3
    return emitOpError("scale must be finite and not zero, got ")
           << getScale().convertToDouble();
  return success();
}

LogicalResult LinearOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkShape(*this, "weight", getWeight(),
                        {dimOf(getWeight(), 0), dimOf(getX(), 1)}))) // C1
    return failure();
  return checkShape(*this, "result", getResult(),
                    {dimOf(getX(), 0), dimOf(getWeight(), 0)}); // C1
}

static int64_t rowElements(Value value) {
  int64_t elements = 1;
  for (int64_t size : tensorOf(value).getShape().drop_front())
    elements *= size;
  return elements;
}

LogicalResult ReshapeOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  if (tensorOf(getX()).getElementType() !=
          tensorOf(getResult()).getElementType() ||
      dimOf(getX(), 0) != dimOf(getResult(), 0) ||
      rowElements(getX()) != rowElements(getResult())) // C1
    return emitOpError("rows of ")
           << getX().getType() << " and " << getResult().getType() << " differ";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getX().getType() == getResult().getType() ? getX() : Value(); // C2
}

LogicalResult SliceOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  RankedTensorType from = tensorOf(getX()), to = tensorOf(getResult());
  if (from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank() ||
      from.getShape().drop_back() != to.getShape().drop_back()) // C1
    return emitOpError("'result' must differ from ")
           << from << " in the last dimension only, got " << to;
  int64_t offset = getOffset(), size = lastDim(getResult());
  if (offset < 0 || size > lastDim(getX()) ||
      offset > lastDim(getX()) - size) // C2
    return emitOpError("range [")
           << offset << ", +" << size << ") lies outside " << from;
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getX().getType() == getResult().getType() ? getX() : Value();
}

LogicalResult GateOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "result", getResult(), getZ()))) // C1
    return failure();
  ArrayRef<int64_t> row = tensorOf(getZ()).getShape().drop_front();
  if (getALog() &&
      failed(checkShape(*this, "A_log", getALog(), row.take_front()))) // C2
    return failure();
  if (getDtBias() &&
      failed(checkShape(*this, "dt_bias", getDtBias(), row))) // C3
    return failure();
  bool bounded = getMap() == GateMap::Bounded;
  if (bounded != getLowerBound().has_value()) // C4
    return emitOpError("lower_bound is given for 'bounded' and only for it");
  if (bounded) {
    double bound = getLowerBound()->convertToDouble();
    if (!(bound >= -5.0 && bound < 0.0)) // C4
      return emitOpError("lower_bound must lie in [-5, 0), got ") << bound;
  }
  bool logSigmoid = getMap() == GateMap::LogSigmoid;
  if (logSigmoid != getNormalizer().has_value()) // C5
    return emitOpError("normalizer is given for 'log_sigmoid' and only for it");
  return logSigmoid ? checkPositive(*this, "normalizer", *getNormalizer())
                    : success(); // C5
}

LogicalResult SigmoidOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "result", getResult(), getX()))) // C1
    return failure();
  return checkPositive(*this, "scale", getScale()); // C2
}

LogicalResult OutputGateOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "gate", getGate(), getX())) || // C1
      failed(checkSameShape(*this, "result", getResult(), getX())))
    return failure();
  if (getActivation() == Activation::None) // C2
    return emitOpError("activation must not be 'none'");
  return success();
}

LogicalResult SituGluOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "up", getUp(), getGate())) || // C1
      failed(checkSameShape(*this, "result", getResult(), getGate())) ||
      failed(checkPositive(*this, "beta", getBeta()))) // C2
    return failure();
  return getLinearBeta() ? checkPositive(*this, "linear_beta", *getLinearBeta())
                         : success(); // C2
}

LogicalResult SwigluOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "up", getUp(), getGate()))) // C1
    return failure();
  return checkSameShape(*this, "result", getResult(), getGate()); // C1
}

LogicalResult AddOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "rhs", getRhs(), getLhs()))) // C1
    return failure();
  return checkSameShape(*this, "result", getResult(), getLhs()); // C1
}

LogicalResult AttnResOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  for (Value block : getBlocks())
    if (failed(checkSameShape(*this, "block", block, getPrefix()))) // C1
      return failure();
  if (failed(checkSameShape(*this, "result", getResult(), getPrefix())) || // C1
      failed(checkShape(*this, "norm_weight", getNormWeight(),
                        {lastDim(getPrefix())})) || // C2
      failed(
          checkShape(*this, "query", getQuery(), {lastDim(getPrefix())}))) // C2
    return failure();
  return checkPositive(*this, "eps", getEps()); // C3
}

OpFoldResult AttnResOp::fold(FoldAdaptor) {
  bool identity = getBlocks().empty() &&
                  getPrefix().getType() == getResult().getType(); // C4
  return identity ? getPrefix() : Value();
}
