// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns every intermediate value, for comparison with the reference.

#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace k3 {
#define GEN_PASS_DEF_EXPOSEVALUESPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// "layers.3.self_attn.q_proj", or "op" when the location has no name.
std::string nameOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return nameOf(fused.getLocations().front());
  return "op";
}

/// True for a result that is a new value and not a view, weight or pool.
bool isIntermediate(OpResult result) {
  Operation *op = result.getOwner();
  if (!isa_and_nonnull<K3Dialect>(op->getDialect()) ||
      isa<GetWeightOp, GetStateOp, ReshapeOp>(op))
    return false;
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  if (!inPlace)
    return true;
  return llvm::none_of(inPlace.getUpdates(), [&](auto update) {
    return update.second == result.getResultNumber();
  });
}

void exposeFunction(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::DenseSet<Value> returned(terminator->operand_begin(),
                                 terminator->operand_end());
  llvm::StringMap<unsigned> taken;
  SmallVector<Value> values;
  SmallVector<StringAttr> names;
  for (Operation &op : function.getBody().front())
    for (OpResult result : op.getResults()) {
      if (!isIntermediate(result))
        continue;
      std::string name = nameOf(op.getLoc()) + ":" +
                         op.getName().stripDialect().str() + ":" +
                         std::to_string(result.getResultNumber());
      unsigned count = taken[name]++;
      if (count > 0)
        name += "#" + std::to_string(count);
      if (!returned.insert(result).second)
        continue;
      values.push_back(result);
      names.push_back(StringAttr::get(function.getContext(), name));
    }
  SmallVector<Type> types(function.getResultTypes());
  unsigned first = types.size();
  llvm::append_range(types, ValueRange(values).getTypes());
  terminator->insertOperands(terminator->getNumOperands(), values);
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(), types));
  for (auto [index, name] : llvm::enumerate(names))
    function.setResultAttr(first + index, "k3.name", name);
}

struct ExposeValues : k3::impl::ExposeValuesPassBase<ExposeValues> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitError("has control flow; values are exposed in "
                           "straight-line functions only");
        return signalPassFailure();
      }
      exposeFunction(function);
    }
  }
};

} // namespace
