// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the router and the experts.

#include "Check.h"

using namespace mlir;
using namespace k3;

LogicalResult RouterOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t tokens = dimOf(getLogits(), 0), experts = dimOf(getLogits(), 1);
  int64_t topK = getTopK(), groups = getNumExpertGroup();
  int64_t topGroups = getTopkGroup();
  if (topK < 1 || topK > experts || experts > 4096) // C2
    return emitOpError("top_k must lie in [1, experts] and experts be at most "
                       "4096, got ")
           << topK << " of " << experts;
  if (failed(checkShape(*this, "bias", getBias(), {experts})) || // C1
      failed(checkShape(*this, "ids", getIds(), {tokens, topK})) ||
      failed(checkShape(*this, "weights", getWeights(), {tokens, topK})))
    return failure();
  bool fits = groups >= 1 && experts % groups == 0 && topGroups >= 1 &&
              topGroups <= groups && (groups == 1 || experts / groups >= 2) &&
              experts / groups * topGroups >= topK;
  if (!fits) // C3
    return emitOpError("num_expert_group ")
           << groups << " and topk_group " << topGroups << " do not fit "
           << experts << " experts with top_k " << topK;
  if (getActivation() != "sigmoid" && getActivation() != "softmax") // C4
    return emitOpError("activation must be 'sigmoid' or 'softmax', got '")
           << getActivation() << "'";
  return success();
}

/// [E, N, K] in elements of a weight whose K may be packed two to a byte.
static LogicalResult checkExpert(Operation *op, StringRef name, Value weight,
                                 int64_t experts, int64_t rows, int64_t cols) {
  bool packed = tensorOf(weight).getElementType().isInteger(8);
  if (packed && cols % 32 != 0)
    return op->emitOpError("MXFP4 widths must be multiples of 32, got ")
           << cols;
  return checkShape(op, name, weight,
                    {experts, rows, packed ? cols / 2 : cols});
}

/// Scales are given for I8 weights, one each, and for no others.
static LogicalResult checkScales(Operation *op, ValueRange weights,
                                 ValueRange scales) {
  Type element = tensorOf(weights.front()).getElementType();
  for (Value weight : weights)
    if (tensorOf(weight).getElementType() != element)
      return op->emitOpError("expert weights must have one element type, got ")
             << weight.getType() << " beside " << weights.front().getType();
  size_t want = element.isInteger(8) ? weights.size() : 0;
  if (scales.size() != want)
    return op->emitOpError("scales are given for MXFP4 weights, one each, and "
                           "for no others: wanted ")
           << want << ", got " << scales.size();
  for (auto [weight, scale] : llvm::zip(weights.take_front(want), scales)) {
    ArrayRef<int64_t> shape = tensorOf(weight).getShape();
    if (failed(checkShape(op, "scales", scale,
                          {shape[0], shape[1], shape[2] * 2 / 32})))
      return failure();
  }
  return success();
}

template <typename Op> static LogicalResult checkGlu(Op op) {
  bool situ = op.getGlu() == GluKind::Situ;
  if (situ != op.getBeta().has_value() ||
      (op.getLinearBeta().has_value() && !situ))
    return op.emitOpError("beta is given exactly for 'situ' and linear_beta "
                          "only for it");
  if (op.getBeta() && failed(checkPositive(op, "beta", *op.getBeta())))
    return failure();
  return op.getLinearBeta()
             ? checkPositive(op, "linear_beta", *op.getLinearBeta())
             : success();
}

LogicalResult LatentExpertsOp::verify() {
  if (failed(checkRowsStatic(*this)) ||
      failed(checkSameShape(*this, "result", getResult(), getZ())) || // C1
      failed(checkSameShape(*this, "weights", getWeights(), getIds())))
    return failure();
  if (dimOf(getIds(), 0) != dimOf(getZ(), 0)) // C1
    return emitOpError("'ids' and 'z' must have one leading dimension, got ")
           << getIds().getType() << " and " << getZ().getType();
  int64_t latent = dimOf(getZ(), 1), experts = dimOf(getW1(), 0);
  int64_t width = dimOf(getW1(), 1);
  if (failed(checkExpert(*this, "w1", getW1(), experts, width, latent)) || // C2
      failed(checkExpert(*this, "w3", getW3(), experts, width, latent)) ||
      failed(checkExpert(*this, "w2", getW2(), experts, latent, width)) ||
      failed(checkScales(*this, {getW1(), getW3(), getW2()},
                         getScales()))) // C3
    return failure();
  return checkGlu(*this); // C4
}

LogicalResult ExpertUpOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t tokens = dimOf(getZ(), 0), latent = dimOf(getZ(), 1);
  int64_t experts = dimOf(getW1(), 0), width = dimOf(getW1(), 1);
  int64_t topK = dimOf(getIds(), 1);
  if (failed(checkShape(*this, "ids", getIds(), {tokens, topK})) || // C1
      failed(checkShape(*this, "result", getResult(), {tokens, topK, width})) ||
      failed(checkExpert(*this, "w1", getW1(), experts, width, latent)) || // C2
      failed(checkExpert(*this, "w3", getW3(), experts, width, latent)) ||
      failed(checkScales(*this, {getW1(), getW3()}, getScales()))) // C3
    return failure();
  return checkGlu(*this); // C4
}

LogicalResult ExpertDownOp::verify() {
  if (failed(checkRowsStatic(*this)))
    return failure();
  int64_t tokens = dimOf(getH(), 0), topK = dimOf(getH(), 1);
  int64_t width = dimOf(getH(), 2), latent = dimOf(getResult(), 1);
  if (failed(checkShape(*this, "ids", getIds(), {tokens, topK})) || // C1
      failed(checkShape(*this, "weights", getWeights(), {tokens, topK})) ||
      failed(checkShape(*this, "result", getResult(), {tokens, latent})) ||
      failed(checkExpert(*this, "w2", getW2(), dimOf(getW2(), 0), latent,
                         width))) // C2
    return failure();
  return checkScales(*this, getW2(), getScales()); // C3
}
