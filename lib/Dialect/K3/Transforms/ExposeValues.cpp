// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns every intermediate value, for comparison with the reference.

#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

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
  return "op";
}

void exposeFunction(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Type> types(function.getResultTypes());
  for (auto [index, op] : llvm::enumerate(function.getBody().front())) {
    if (!isa_and_nonnull<K3Dialect>(op.getDialect()) ||
        isa<GetWeightOp, GetStateOp, SetStateOp, ReshapeOp>(op))
      continue;
    SmallVector<unsigned> pools;
    if (auto inPlace = dyn_cast<InPlaceOpInterface>(op))
      for (auto [operand, result] : inPlace.getUpdates())
        pools.push_back(result);
    for (OpResult result : op.getResults()) {
      if (llvm::is_contained(pools, result.getResultNumber()))
        continue;
      std::string name = nameOf(op.getLoc()) + ":" +
                         op.getName().stripDialect().str() + ":" +
                         std::to_string(index) + ":" +
                         std::to_string(result.getResultNumber());
      terminator->insertOperands(terminator->getNumOperands(), {result});
      types.push_back(result.getType());
      function.setType(FunctionType::get(
          function.getContext(), function.getArgumentTypes(), types));
      function.setResultAttr(types.size() - 1, "k3.name",
                             StringAttr::get(function.getContext(), name));
    }
  }
}

struct ExposeValues : k3::impl::ExposeValuesPassBase<ExposeValues> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        exposeFunction(function);
  }
};

} // namespace
