// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.kernel -> k3.kernel_func and k3.launch, equal kernels once.

#include "k3/Fusion/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringMap.h"

namespace k3 {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "k3/Fusion/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// "rms_norm", "linear3", "gate_sigmoid_l2_norm2": the ops in order, views
/// left out, with how many when more than one.
std::string nameOf(Block &body) {
  SmallVector<std::pair<StringRef, unsigned>> parts;
  for (Operation &op : body.without_terminator()) {
    StringRef name = op.getName().stripDialect();
    if (isa<ReshapeOp>(op))
      continue;
    auto *known =
        llvm::find_if(parts, [&](auto &part) { return part.first == name; });
    if (known != parts.end())
      ++known->second;
    else
      parts.push_back({name, 1});
  }
  if (parts.empty())
    return "reshape";
  std::string text;
  for (auto &[name, count] : parts) {
    if (!text.empty())
      text += "_";
    text += name;
    if (count > 1)
      text += std::to_string(count);
  }
  return text;
}

/// Equal attributes, ops, types and use of values; locations do not count.
bool areEqual(KernelOp kernel, KernelFuncOp function) {
  return kernel.getUpdatePairs() == function.getUpdatePairs() &&
         OperationEquivalence::isRegionEquivalentTo(
             &kernel.getBody(), &function.getBody(),
             OperationEquivalence::IgnoreLocations);
}

struct OutlineKernels : k3::impl::OutlineKernelsPassBase<OutlineKernels> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      outline(kernel);
    distinct = functions.size();
  }

  /// `name`, or with ".1", ".2", ... behind it when that is taken.
  std::string freeName(const std::string &name, size_t number) {
    std::string candidate = name;
    if (number > 0)
      candidate += "." + std::to_string(number);
    while (SymbolTable::lookupSymbolIn(getOperation(), candidate))
      candidate = name + "." + std::to_string(++number);
    return candidate;
  }

  void outline(KernelOp kernel) {
    std::string name = nameOf(kernel.getBody().front());
    SmallVector<KernelFuncOp> &alike = byName[name];
    KernelFuncOp callee;
    for (KernelFuncOp function : alike)
      if (areEqual(kernel, function))
        callee = function;
    if (!callee) {
      name = freeName(name, alike.size());
      OpBuilder builder(getOperation().getBody(),
                        getOperation().getBody()->end());
      callee = KernelFuncOp::create(builder, kernel.getLoc(), name,
                                    kernel.getUpdatePairs());
      IRMapping map;
      kernel.getBody().cloneInto(&callee.getBody(), map);
      alike.push_back(callee);
      functions.push_back(callee);
    }
    OpBuilder builder(kernel);
    auto launch =
        LaunchOp::create(builder, kernel.getLoc(), kernel.getResultTypes(),
                         FlatSymbolRefAttr::get(callee.getSymNameAttr()),
                         kernel.getInputs(), kernel.getUpdatePairsAttr());
    kernel.replaceAllUsesWith(launch.getResults());
    kernel.erase();
    ++launches;
  }

  llvm::StringMap<SmallVector<KernelFuncOp>> byName;
  SmallVector<KernelFuncOp> functions;
};

} // namespace
