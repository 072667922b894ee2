// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints which dynamic dimensions are one number.

#include "k3/Dialect/K3/Analysis/Dimensions.h"
#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace k3 {
#define GEN_PASS_DEF_PRINTDIMENSIONSPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

void printShape(Value value, const Dimensions &dims) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    llvm::outs() << value.getType();
    return;
  }
  llvm::outs() << '[';
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim > 0)
      llvm::outs() << ", ";
    int symbol = dims.symbolOf(value, dim);
    if (symbol >= 0)
      llvm::outs() << dims.names()[symbol];
    else
      llvm::outs() << type.getDimSize(dim);
  }
  llvm::outs() << ']';
}

void printFunction(func::FuncOp function) {
  Block &block = function.getBody().front();
  Dimensions dims(block);
  llvm::outs() << '@' << function.getSymName() << '\n';
  for (BlockArgument argument : block.getArguments()) {
    llvm::outs() << "  argument " << argument.getArgNumber() << ": ";
    printShape(argument, dims);
    llvm::outs() << '\n';
  }
  for (Operation &op : block) {
    if (op.getNumResults() == 0)
      continue;
    llvm::outs() << "  " << op.getName() << ": ";
    llvm::interleaveComma(op.getResults(), llvm::outs(),
                          [&](Value result) { printShape(result, dims); });
    llvm::outs() << '\n';
  }
}

struct PrintDimensions : k3::impl::PrintDimensionsPassBase<PrintDimensions> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        printFunction(function);
    markAllAnalysesPreserved();
  }
};

} // namespace
