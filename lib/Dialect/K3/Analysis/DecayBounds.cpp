// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of log-decays, and the safe form of decayed Gram matrices.

#include "k3/Dialect/K3/Analysis/DecayBounds.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace k3 {

/// The range of the map in exact arithmetic. In fp32 a gate may reach the ends,
/// and lower_bound itself is rounded.
static DecayBounds boundsOf(GateOp gate) {
  DecayBounds bounds;
  bounds.upper = 0;
  if (gate.getMap() == GateMap::Bounded)
    bounds.lower = gate.getLowerBound()->convertToDouble();
  return bounds;
}

static DecayBounds boundsOf(DenseFPElementsAttr constant) {
  DecayBounds bounds;
  if (constant.empty())
    return bounds;
  DecayBounds seen{bounds.upper, bounds.lower};
  for (const APFloat &value : constant) {
    if (value.isNaN())
      return bounds;
    double number = value.convertToDouble();
    seen.lower = std::min(seen.lower, number);
    seen.upper = std::max(seen.upper, number);
  }
  return seen;
}

static Attribute statedBounds(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return result.getOwner()->getAttr(kDecayBoundsName);
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return {};
  return function.getArgAttr(argument.getArgNumber(), kDecayBoundsName);
}

/// Narrows `bounds` by what is stated about `value`.
static FailureOr<DecayBounds> narrowed(Value value, DecayBounds bounds) {
  Attribute stated = statedBounds(value);
  if (!stated)
    return bounds;
  auto pair = dyn_cast<DenseF64ArrayAttr>(stated);
  if (!pair || pair.size() != 2 || !(pair[0] <= pair[1]))
    return emitError(value.getLoc(), "K3-E0521: ")
           << kDecayBoundsName
           << " must be an array of two f64, the lower bound first";
  bounds.lower = std::max(bounds.lower, pair[0]);
  bounds.upper = std::min(bounds.upper, pair[1]);
  if (bounds.lower > bounds.upper)
    return emitError(value.getLoc(), "K3-E0521: ")
           << kDecayBoundsName << " contradicts the op that makes the value";
  return bounds;
}

FailureOr<DecayBounds> decayBoundsOf(Value value) {
  DecayBounds bounds;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    if (kernel)
      return decayBoundsOf(kernel.getInputs()[argument.getArgNumber()]);
    return narrowed(value, bounds);
  }
  Operation *op = value.getDefiningOp();
  DenseFPElementsAttr constant;
  if (auto gate = dyn_cast<GateOp>(op)) {
    bounds = boundsOf(gate);
  } else if (auto kernel = dyn_cast<KernelOp>(op)) {
    Operation *yield = kernel.getBody().front().getTerminator();
    unsigned number = cast<OpResult>(value).getResultNumber();
    return decayBoundsOf(yield->getOperand(number));
  } else if (isa<ReshapeOp, SliceOp>(op)) {
    FailureOr<DecayBounds> source = decayBoundsOf(op->getOperand(0));
    if (failed(source))
      return failure();
    bounds = *source;
  } else if (matchPattern(value, m_Constant(&constant))) {
    bounds = boundsOf(constant);
  }
  return narrowed(value, bounds);
}

/// The middle row, of which at most rows / 2 steps lie on either side.
static int64_t anchorOf(int64_t rows) { return (rows - 1) / 2; }

bool readsUndecayed(DeltaRuleOp op) {
  return op.getErase() != Erase::None &&
         op.getReadState() == ReadState::Undecayed;
}

double anchoredExponent(DeltaRuleOp op, const DecayBounds &bounds,
                        int64_t rows) {
  return anchoredExponent(bounds.lower, rows, anchorOf(rows),
                          readsUndecayed(op));
}

DecayChoice chooseDecayForm(DeltaRuleOp op, const DecayBounds &bounds,
                            int64_t rows) {
  if (op.getDecay() == Decay::None)
    return {DecayForm::Plain};
  if (op.getDecay() != Decay::Channel)
    return {DecayForm::Scalar};
  if (bounds.upper > 0)
    return {DecayForm::Pairwise};
  double exponent = anchoredExponent(op, bounds, rows);
  if (!isSafeExponent(exponent))
    return {DecayForm::Pairwise};
  return {DecayForm::Anchored, anchorOf(rows), exponent};
}

} // namespace k3
