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

  bool canBePacked() const {
    return weight && !uses.empty() && !WeightOp(weight).getPacking() &&
           (allMatrix || allScales);
  }
};

using ReadingsMap = llvm::MapVector<StringAttr, Readings>;

/// The weight operands of an op that must have one layout.
SmallVector<Value> packedTogether(Operation *reader) {
  SmallVector<Value> weights;
  for (OpOperand &operand : reader->getOpOperands())
    if (readingOf(operand) != Reading::Other)
      weights.push_back(operand.get());
  return weights;
}

bool canBePacked(Value weight, const ReadingsMap &readings) {
  auto get = weight.getDefiningOp<GetWeightOp>();
  if (!get)
    return false;
  auto entry = readings.find(get.getWeightAttr().getAttr());
  return entry != readings.end() && entry->second.canBePacked();
}

/// Drops weights whose reader has another weight that stays as it is, until
/// nothing changes.
void keepReadersWhole(ReadingsMap &readings) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, entry] : readings) {
      bool whole = llvm::all_of(entry.uses, [&](OpOperand *use) {
        return llvm::all_of(packedTogether(use->getOwner()), [&](Value weight) {
          return canBePacked(weight, readings);
        });
      });
      if (whole || !entry.canBePacked())
        continue;
      entry.allMatrix = entry.allScales = false;
      changed = true;
    }
  }
}

void markReader(Operation *reader, PackingAttr packing) {
  llvm::TypeSwitch<Operation *>(reader)
      .Case<LinearOp, ExpertUpOp, ExpertDownOp>(
          [&](auto op) { op.setPackingAttr(packing); });
}

struct PackWeights : k3::impl::PackWeightsPassBase<PackWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ReadingsMap readings;
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
    keepReadersWhole(readings);
    for (auto &[name, entry] : readings)
      if (entry.canBePacked())
        pack(entry);
  }

  void pack(Readings &entry) {
    auto type = cast<RankedTensorType>(entry.weight.getType());
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
