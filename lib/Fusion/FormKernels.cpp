// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the ops that share a kernel into k3.kernel regions.

#include "FusionRules.h"

#include "k3/Fusion/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

#include <mutex>

namespace k3 {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "k3/Fusion/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// Fails unless kernels can be formed from all of the function's ops.
LogicalResult checkForm(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("has control flow; kernels are formed in "
                              "straight-line functions only");
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!isa_and_nonnull<K3Dialect>(op.getDialect()))
      return op.emitOpError("cannot be part of a kernel");
    if (isa<KernelOp, LaunchOp>(op))
      return op.emitOpError("was formed already; kernels are formed once, for "
                            "all ops of a function");
  }
  return success();
}

/// Nothing depends on an op without readers: state is kept by k3.set_state.
void eraseUnread(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isTensorOp(op) && op.use_empty())
      op.erase();
}

/// Builds the kernel of one group before `before` and redirects readers.
void buildKernel(const KernelGroups::Group &group, Operation *before) {
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  SmallVector<Location> locations;
  auto inside = [&](Operation *op) { return group.contains(op); };
  for (Operation *op : group) {
    locations.push_back(op->getLoc());
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !inside(operand.getDefiningOp()))
        inputs.insert(operand);
    // What nothing reads is still memory that an anchor writes.
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(), inside) ||
          (isAnchor(op) && result.use_empty()))
        outputs.push_back(result);
  }
  SmallVector<int64_t> updates;
  for (Operation *op : group)
    if (auto inPlace = dyn_cast<InPlaceOpInterface>(op))
      for (auto [operand, result] : inPlace.getUpdates()) {
        Value from = op->getOperand(operand), to = op->getResult(result);
        updates.push_back(llvm::find(inputs, from) - inputs.begin());
        updates.push_back(llvm::find(outputs, to) - outputs.begin());
      }
  OpBuilder builder(before);
  Location loc = FusedLoc::get(builder.getContext(), locations);
  auto kernel = KernelOp::create(builder, loc, ValueRange(outputs).getTypes(),
                                 inputs.getArrayRef(), updates);
  Block &body = kernel.getBody().emplaceBlock();
  IRMapping map;
  for (Value input : inputs)
    map.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation *op : group)
    builder.clone(*op, map);
  SmallVector<Value> yielded;
  for (Value output : outputs)
    yielded.push_back(map.lookup(output));
  YieldOp::create(builder, loc, yielded);
  for (auto [output, result] : llvm::zip(outputs, kernel.getResults()))
    output.replaceAllUsesWith(result);
}

/// Reports the kernels of more than one op, and for ops alone why they are.
class FusionRemarks {
public:
  FusionRemarks(func::FuncOp function, std::vector<MissedFusion> missed)
      : function(function), missed(std::move(missed)) {}

  void emit(ArrayRef<KernelGroups::Group> ordered) {
    if (!function.getContext()->getRemarkEngine())
      return;
    // Functions are worked on in parallel; the engine has no lock.
    static std::mutex engine;
    std::lock_guard<std::mutex> lock(engine);
    for (const KernelGroups::Group &group : ordered)
      emitGroup(group);
  }

private:
  remark::RemarkOpts options(StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("k3-form-kernels")
        .function(function.getSymName());
  }

  void emitGroup(const KernelGroups::Group &group) {
    SmallVector<Operation *> ops;
    llvm::copy_if(group, std::back_inserter(ops),
                  [](Operation *op) { return !isa<ReshapeOp>(op); });
    if (ops.size() > 1) {
      remark::passed(ops.front()->getLoc(), options("fused"))
          << remark::metric("ops", ops.size());
      return;
    }
    if (ops.empty())
      return;
    remark::missed(ops.front()->getLoc(), options("alone"))
        << remark::reason("{0}: {1}", ops.front()->getName().getStringRef(),
                          reasonOf(ops.front()));
  }

  std::string reasonOf(Operation *op) const {
    for (const MissedFusion &entry : missed)
      if (entry.op == op)
        return entry.reason;
    if (!isAnchor(op))
      return "no row-wise op of the same rows is beside it";
    if (isa<LinearOp>(op))
      return "no other product reads the same rows";
    if (isa<ShortConvOp>(op))
      return "no other convolution can run beside it";
    return "needs a grid of its own";
  }

  func::FuncOp function;
  std::vector<MissedFusion> missed;
};

struct FormKernels : k3::impl::FormKernelsPassBase<FormKernels> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() ||
        (function.getBody().hasOneBlock() &&
         llvm::none_of(function.getBody().front(), isTensorOp)))
      return;
    if (failed(checkForm(function)))
      return signalPassFailure();
    Block &block = function.getBody().front();
    eraseUnread(block);
    repeatReshapes(block);
    KernelGroups groups(block);
    std::vector<MissedFusion> missed = mergeGroups(block, groups);
    SmallVector<KernelGroups::Group> ordered = groups.inOrder();
    FusionRemarks(function, std::move(missed)).emit(ordered);
    rebuild(block, ordered);
  }

  /// Access to weights and states first, then the kernels, then updates of
  /// states. The old ops go away.
  void rebuild(Block &block, ArrayRef<KernelGroups::Group> ordered) {
    Operation *terminator = block.getTerminator();
    for (const KernelGroups::Group &group : ordered) {
      buildKernel(group, terminator);
      ++kernels;
      fused += group.size() > 1 ? group.size() : 0;
    }
    SmallVector<SetStateOp> updates(block.getOps<SetStateOp>());
    for (SetStateOp update : updates)
      update->moveBefore(terminator);
    SmallVector<Operation *> old;
    for (const KernelGroups::Group &group : ordered)
      old.append(group.begin(), group.end());
    for (Operation *op : old)
      op->dropAllUses();
    for (Operation *op : old)
      op->erase();
  }
};

} // namespace
