// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The invariants of the pipeline, one function a phase.

#include "PhaseChecks.h"

#include "k3/Dialect/K3/IR/K3.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace k3;

namespace {

constexpr int64_t maxRank = 8;                    // K3_MAX_RANK
constexpr int64_t maxElements = int64_t(1) << 40; // of one tensor
constexpr size_t maxOps = 250'000;                // of a module

/// "2^62" for powers of two, digits otherwise.
std::string shortNumber(uint64_t number) {
  if (number > 1024 && llvm::isPowerOf2_64(number))
    return "2^" + std::to_string(llvm::Log2_64(number));
  return std::to_string(number);
}

LogicalResult checkTensor(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  if (tensor.getRank() > maxRank)
    return op->emitError("tensor of rank ")
           << tensor.getRank() << " exceeds the limit of " << maxRank;
  uint64_t elements = 1;
  bool overflow = false;
  for (int64_t size : tensor.getShape())
    if (!ShapedType::isDynamic(size))
      elements = llvm::SaturatingMultiply(elements, uint64_t(size), &overflow);
  if (elements <= uint64_t(maxElements))
    return success();
  return op->emitError("tensor of ")
         << (overflow ? "more than 2^64" : shortNumber(elements))
         << " elements exceeds the limit of " << shortNumber(maxElements);
}

LogicalResult checkTypes(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(checkTensor(op, type)))
      return failure();
  if (auto weight = dyn_cast<WeightOp>(op))
    return success(succeeded(checkTensor(op, weight.getType())) &&
                   succeeded(checkTensor(op, weight.getStored())));
  if (auto state = dyn_cast<StateOp>(op))
    return checkTensor(op, state.getType());
  return success();
}

bool isTopLevel(Operation &op) {
  return isa<WeightOp, StateOp, KernelFuncOp, func::FuncOp>(op);
}

/// --k3-verify-state-use has refused control flow before.
LogicalResult checkFunction(func::FuncOp function) {
  if (function.isExternal())
    return function.emitError("entry point has no body");
  for (Type type : function.getArgumentTypes()) {
    if (!isa<RankedTensorType>(type))
      return function.emitError("entry point has an argument of type ")
             << type << " (wanted a ranked tensor)";
    if (failed(checkTensor(function, type)))
      return failure();
  }
  for (Operation &op : function.getBody().front().without_terminator())
    if (!isa_and_nonnull<K3Dialect>(op.getDialect()))
      return op.emitError("op '")
             << op.getName() << "' is not of the k3 dialect";
  return success();
}

LogicalResult checkBodies(ModuleOp module,
                          llvm::function_ref<bool(Operation &)> isAllowed,
                          const char *wanted) {
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    for (Operation &op : function.getBody().front().without_terminator())
      if (!isAllowed(op))
        return op.emitError("op '") << op.getName() << "' is not in " << wanted;
  return success();
}

} // namespace

LogicalResult k3::checkImported(ModuleOp module) {
  size_t ops = 0;
  WalkResult walk = module.walk([&](Operation *op) {
    if (++ops > maxOps) {
      op->emitError("the module has more than ") << maxOps << " ops (limit)";
      return WalkResult::interrupt();
    }
    return failed(checkTypes(op)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Operation &op : *module.getBody())
    if (!isTopLevel(op))
      return op.emitError("op '")
             << op.getName()
             << "' stands outside of an entry point (wanted weights, states, "
                "functions)";
  auto functions = module.getOps<func::FuncOp>();
  if (functions.empty())
    return module.emitError(
        "the module has no entry point (wanted a func.func)");
  for (func::FuncOp function : functions)
    if (failed(checkFunction(function)))
      return failure();
  return success();
}

LogicalResult k3::checkPrepared(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    if (!isa<LatentAttentionOp, LatentExpertsOp>(op))
      return WalkResult::advance();
    op->emitError("op '") << op->getName() << "' was not taken apart";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult k3::checkFused(ModuleOp module) {
  return checkBodies(
      module,
      [](Operation &op) {
        return isa<KernelOp, LaunchOp, GetWeightOp, GetStateOp, SetStateOp>(op);
      },
      "a kernel");
}

LogicalResult k3::checkOutlined(ModuleOp module) {
  return checkBodies(
      module,
      [](Operation &op) {
        return isa<LaunchOp, GetWeightOp, GetStateOp, SetStateOp>(op);
      },
      "an outlined kernel");
}
