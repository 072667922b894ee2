// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of kernels and their launches.

#include "Check.h"

using namespace mlir;
using namespace k3;

static SmallVector<std::pair<unsigned, unsigned>>
pairsOf(ArrayRef<int64_t> updates) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  for (size_t i = 0; i + 1 < updates.size(); i += 2)
    pairs.push_back({unsigned(updates[i]), unsigned(updates[i + 1])});
  return pairs;
}

/// Each pair names an input and a result of one type.
static LogicalResult checkUpdates(Operation *op, ArrayRef<int64_t> updates,
                                  TypeRange inputs, TypeRange results) {
  bool fits = updates.size() % 2 == 0;
  for (size_t i = 0; fits && i < updates.size(); i += 2)
    fits = updates[i] >= 0 && updates[i] < int64_t(inputs.size()) &&
           updates[i + 1] >= 0 && updates[i + 1] < int64_t(results.size()) &&
           inputs[updates[i]] == results[updates[i + 1]];
  if (fits)
    return success();
  return op->emitOpError(
      "update_pairs must be pairs of an input and a result of "
      "one type");
}

static LogicalResult checkBody(Operation *op, Block &body) {
  for (Operation &inner : body.without_terminator()) {
    bool allowed = isa_and_nonnull<K3Dialect>(inner.getDialect()) &&
                   !isa<KernelOp, KernelFuncOp, LaunchOp, GetWeightOp,
                        GetStateOp, SetStateOp, WeightOp, StateOp>(inner);
    if (!allowed)
      return op->emitOpError("body must hold k3 tensor ops only, got '")
             << inner.getName() << "'";
  }
  if (!isa<YieldOp>(body.getTerminator()))
    return op->emitOpError("body must end with k3.yield");
  return success();
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes()) // C1
    return emitOpError("body arguments must have the types of the operands");
  if (failed(checkBody(*this, body))) // C2
    return failure();
  if (body.getTerminator()->getOperandTypes() != getResultTypes()) // C1
    return emitOpError("yielded types must be the result types");
  return checkUpdates(*this, getUpdatePairsAttr().asArrayRef(),
                      getInputs().getTypes(), getResultTypes()); // C3
}

LogicalResult KernelFuncOp::verify() {
  Block &body = getBody().front();
  if (failed(checkBody(*this, body))) // C1
    return failure();
  return checkUpdates(*this, getUpdatePairsAttr().asArrayRef(),
                      body.getArgumentTypes(),
                      body.getTerminator()->getOperandTypes()); // C1
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<KernelFuncOp>(*this, getCalleeAttr());
  if (!callee) // C1
    return emitOpError("'@") << getCallee() << "' must be a k3.kernel_func";
  Block &body = callee.getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes() ||
      body.getTerminator()->getOperandTypes() != getResultTypes()) // C1
    return emitOpError("types do not match those of '@") << getCallee() << "'";
  return success();
}

SmallVector<std::pair<unsigned, unsigned>> KernelOp::getUpdates() {
  return pairsOf(getUpdatePairsAttr().asArrayRef());
}
SmallVector<std::pair<unsigned, unsigned>> LaunchOp::getUpdates() {
  return pairsOf(getUpdatePairsAttr().asArrayRef());
}
