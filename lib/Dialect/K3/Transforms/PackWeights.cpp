// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the memory layout of weights from how they are read.

#include "k3/Dialect/K3/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace k3 {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// How one operand reads a weight.
enum class Reading { Matrix, Scales, Other };

Reading readingOf(OpOperand &use) {
  unsigned number = use.getOperandNumber();
  return llvm::TypeSwitch<Operation *, Reading>(use.getOwner())
      .Case([&](LinearOp op) {
        return number == op.getWeightMutable().getOperandNumber()
                   ? Reading::Matrix
                   : Reading::Other;
      })
      .Case([&](ExpertUpOp op) {
        unsigned w1 = op.getW1Mutable().getOperandNumber();
        unsigned w3 = op.getW3Mutable().getOperandNumber();
        if (number == w1 || number == w3)
          return Reading::Matrix;
        return number > w3 ? Reading::Scales : Reading::Other;
      })
      .Case([&](ExpertDownOp op) {
        unsigned w2 = op.getW2Mutable().getOperandNumber();
        if (number == w2)
          return Reading::Matrix;
        return number > w2 ? Reading::Scales : Reading::Other;
      })
      .Default([](Operation *) { return Reading::Other; });
}

/// The layout for matrices of an element type.
Packing matrixPacking(Type element) {
  if (element.isBF16())
    return Packing::PairPanels;
  if (element.isF32())
    return Packing::Panels;
  return Packing::NibblePanels;
}

/// What all reads of a declaration have in common.
struct Readings {
  WeightOp weight;
  SmallVector<OpOperand *> uses;
  bool allMatrix = true, allScales = true;
};

void markReader(Operation *reader, PackingAttr packing) {
  llvm::TypeSwitch<Operation *>(reader).Case<LinearOp, ExpertUpOp,
                                             ExpertDownOp>(
      [&](auto op) { op.setPackingAttr(packing); });
}

struct PackWeights : k3::impl::PackWeightsPassBase<PackWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::MapVector<StringAttr, Readings> readings;
    for (WeightOp weight : module.getOps<WeightOp>())
      readings[weight.getSymNameAttr()].weight = weight;
    module.walk([&](GetWeightOp get) {
      Readings &entry = readings[get.getWeightAttr().getAttr()];
      for (OpOperand &use : get.getResult().getUses()) {
        Reading reading = readingOf(use);
        entry.allMatrix &= reading == Reading::Matrix;
        entry.allScales &= reading == Reading::Scales;
        entry.uses.push_back(&use);
      }
    });
    for (auto &[name, entry] : readings)
      pack(entry);
  }

  void pack(Readings &entry) {
    if (!entry.weight || entry.uses.empty() || entry.weight.getPacking())
      return;
    auto type = cast<RankedTensorType>(entry.weight.getType());
    if (!entry.allMatrix && !entry.allScales)
      return;
    Packing packing = entry.allScales ? Packing::ScalePanels
                                      : matrixPacking(type.getElementType());
    auto attr = PackingAttr::get(&getContext(), packing);
    entry.weight.setPackingAttr(attr);
    if (entry.allMatrix)
      for (OpOperand *use : entry.uses)
        markReader(use->getOwner(), attr);
    ++packed;
  }
};

} // namespace
