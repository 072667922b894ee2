// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes with fp32 activations.

#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace k3 {
#define GEN_PASS_DEF_SETPRECISIONPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// The tensor type with fp32 in place of bf16; other types are themselves.
Type widened(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isBF16())
    return type;
  return tensor.clone(Float32Type::get(type.getContext()));
}

/// A view has its operand's element type, which is a weight's own for views of
/// weights.
Type resultType(Operation *op, Type type) {
  if (!isa<ReshapeOp, SliceOp>(op))
    return widened(type);
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  return cast<RankedTensorType>(type).clone(from.getElementType());
}

LogicalResult widenFunction(func::FuncOp function) {
  if (!function.isExternal() && !function.getBody().hasOneBlock())
    return function.emitError("has control flow; the precision is set in "
                              "straight-line functions only");
  SmallVector<Type> inputs, results;
  for (Type type : function.getArgumentTypes())
    inputs.push_back(widened(type));
  for (Type type : function.getResultTypes())
    results.push_back(widened(type));
  function.setType(FunctionType::get(function.getContext(), inputs, results));
  if (function.isExternal())
    return success();
  for (BlockArgument argument : function.getArguments())
    argument.setType(widened(argument.getType()));
  for (Operation &op : function.getBody().front()) {
    if (op.getNumRegions() > 0)
      return op.emitOpError("is formed already; the precision is set before");
    if (isa<GetWeightOp>(op))
      continue;
    for (Value result : op.getResults())
      result.setType(resultType(&op, result.getType()));
  }
  return success();
}

bool hasBf16Activation(ModuleOp module) {
  bool found = false;
  module.walk([&](Operation *op) {
    if (isa<GetWeightOp>(op))
      return;
    for (Type type : op->getResultTypes())
      found |= widened(type) != type;
  });
  return found;
}

struct SetPrecision : k3::impl::SetPrecisionPassBase<SetPrecision> {
  using SetPrecisionPassBase::SetPrecisionPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (precision == "bf16") {
      if (hasBf16Activation(module))
        return;
      module.emitError("the module has no bf16 activations to keep; import it "
                       "with --precision=bf16");
      return signalPassFailure();
    }
    if (precision != "f32") {
      module.emitError("precision must be 'f32' or 'bf16', got '")
          << precision << "'";
      return signalPassFailure();
    }
    if (!module.getOps<KernelFuncOp>().empty()) {
      module.emitError("has outlined kernels; the precision is set before");
      return signalPassFailure();
    }
    for (StateOp state : module.getOps<StateOp>())
      state.setType(widened(state.getType()));
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (failed(widenFunction(function)))
        return signalPassFailure();
  }
};

} // namespace
