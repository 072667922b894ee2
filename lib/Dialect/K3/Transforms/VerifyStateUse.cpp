// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that states are updated in place only.

#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace k3 {
#define GEN_PASS_DEF_VERIFYSTATEUSEPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// The value that `value` was made from by updates in place.
Value originOf(Value value) {
  while (auto inPlace = value.getDefiningOp<InPlaceOpInterface>()) {
    Value before;
    for (auto [operand, result] : inPlace.getUpdates())
      if (inPlace->getResult(result) == value)
        before = inPlace->getOperand(operand);
    if (!before)
      break;
    value = before;
  }
  return value;
}

/// A pool is written with what was made from its own memory only.
LogicalResult checkOrigin(SetStateOp set) {
  auto get = originOf(set.getValue()).getDefiningOp<GetStateOp>();
  if (get && get.getStateAttr() == set.getStateAttr())
    return success();
  return set.emitOpError("writes '@")
         << set.getState()
         << "' with a value that was not made from it in place";
}

/// One read and one later write of each declared state.
LogicalResult checkAccess(func::FuncOp function) {
  llvm::StringMap<unsigned> reads, writes;
  for (Operation &op : function.getBody().front()) {
    if (auto get = dyn_cast<GetStateOp>(op)) {
      if (reads[get.getState()]++ || writes.count(get.getState()))
        return get.emitOpError("reads '@")
               << get.getState() << "' again or after its update";
    } else if (auto set = dyn_cast<SetStateOp>(op)) {
      if (writes[set.getState()]++)
        return set.emitOpError("writes '@") << set.getState() << "' again";
      if (failed(checkOrigin(set)))
        return failure();
    }
  }
  return success();
}

/// No reader of `value` behind the op that updates it in place.
LogicalResult checkReaders(Operation *update, unsigned operand) {
  Value value = update->getOperand(operand);
  for (OpOperand &use : value.getUses()) {
    Operation *reader = use.getOwner();
    if ((reader == update && use.getOperandNumber() == operand) ||
        (reader != update && reader->isBeforeInBlock(update)))
      continue;
    InFlightDiagnostic error =
        reader->emitOpError("reads a state that was updated before it");
    error.attachNote(update->getLoc()) << "updated here";
    return error;
  }
  return success();
}

struct VerifyStateUse : k3::impl::VerifyStateUsePassBase<VerifyStateUse> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitError("has control flow; states are updated in "
                           "straight-line functions only");
        return signalPassFailure();
      }
      if (failed(checkAccess(function)))
        return signalPassFailure();
      for (Operation &op : function.getBody().front()) {
        auto inPlace = dyn_cast<InPlaceOpInterface>(op);
        if (!inPlace)
          continue;
        for (auto [operand, result] : inPlace.getUpdates())
          if (failed(checkReaders(&op, operand)))
            return signalPassFailure();
      }
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
