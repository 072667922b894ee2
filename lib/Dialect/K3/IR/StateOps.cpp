// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of weight and state declarations and of access to them.

#include "Check.h"

using namespace mlir;
using namespace k3;

static bool isStoredElement(Type type) {
  return type.isBF16() || type.isF32() || type.isF16() || type.isInteger(8);
}

/// A static tensor of at most 2^40 elements; null otherwise.
static RankedTensorType staticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !isStoredElement(tensor.getElementType()))
    return {};
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size < 0 || (size > 0 && elements > (int64_t(1) << 40) / size))
      return {};
    elements *= size;
  }
  return tensor;
}

static LogicalResult checkPacking(WeightOp op, RankedTensorType type) {
  Packing packing = op.getPacking().value_or(Packing::None);
  Type element = type.getElementType();
  bool fits = packing == Packing::None ||
              (type.getRank() >= 2 &&
               (packing == Packing::PairPanels ? element.isBF16()
                : packing == Packing::Panels   ? element.isF32()
                                               : element.isInteger(8)));
  if (fits)
    return success();
  return op.emitOpError("packing '")
         << stringifyPacking(packing) << "' does not fit " << type;
}

LogicalResult WeightOp::verify() {
  RankedTensorType type = staticTensor(getType());
  RankedTensorType stored = staticTensor(getStored());
  if (!type || !stored) // C1
    return emitOpError("types must be static tensors of bf16, f32, f16 or i8 "
                       "with at most 2^40 elements, got ")
           << getType() << " and " << getStored();
  int64_t want = type.getNumElements();
  if (getStack()) {
    int64_t stack = *getStack();
    if (type.getRank() == 0 || stack < 1 || stack != type.getDimSize(0)) // C2
      return emitOpError("stack must be the leading dimension of ")
             << type << ", got " << stack;
    want /= stack;
  }
  int64_t have = stored.getNumElements();
  if (getPrefix() ? have < want : have != want) // C2
    return emitOpError("stored ")
           << stored << " has " << have << " elements, wanted " << want;
  size_t holes = getSource().count("{}");
  if (holes != size_t(getStack() ? 1 : 0)) // C3
    return emitOpError("source must have one '{}' exactly when stack is given, "
                       "got '")
           << getSource() << "'";
  if (type.getElementType().isInteger(8) !=
      stored.getElementType().isInteger(8)) // C4
    return emitOpError("i8 weights are not converted, got ")
           << type << " from " << stored;
  return checkPacking(*this, type); // C5
}

LogicalResult StateOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  bool fits = type && type.getRank() >= 1 &&
              (type.getElementType().isBF16() || type.getElementType().isF32());
  for (int64_t i = 0; fits && i < type.getRank(); ++i)
    fits = type.isDynamicDim(i) ? i == 0 : type.getDimSize(i) > 0;
  if (!fits) // C1
    return emitOpError("type must be a bf16 or f32 tensor with static positive "
                       "dimensions after an optional leading '?', got ")
           << getType();
  return success();
}

LogicalResult GetWeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto weight =
      symbols.lookupNearestSymbolFrom<WeightOp>(*this, getWeightAttr());
  if (!weight || weight.getType() != getResult().getType()) // C1
    return emitOpError("'@") << getWeight() << "' must be a k3.weight of type "
                             << getResult().getType();
  return success();
}

static LogicalResult checkPool(Operation *op, FlatSymbolRefAttr symbol,
                               Type pool, SymbolTableCollection &symbols) {
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, symbol);
  auto tensor = cast<RankedTensorType>(pool);
  if (state) {
    auto slot = cast<RankedTensorType>(state.getType());
    SmallVector<int64_t> want = {ShapedType::kDynamic};
    llvm::append_range(want, slot.getShape());
    if (tensor == RankedTensorType::get(want, slot.getElementType()))
      return success();
  }
  return op->emitOpError("'@") // C1
         << symbol.getValue() << "' must be a k3.state whose pool has type "
         << pool;
}

LogicalResult GetStateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkPool(*this, getStateAttr(), getResult().getType(), symbols);
}

LogicalResult SetStateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkPool(*this, getStateAttr(), getValue().getType(), symbols);
}
