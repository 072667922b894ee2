// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which ops share a kernel and moves them into k3.kernel regions.

#include "KernelGroups.h"

#include "k3/Dialect/K3/Analysis/Dimensions.h"
#include "k3/Fusion/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace k3 {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "k3/Fusion/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

bool isRowOp(Operation *op) {
  return op->hasTrait<k3::OpTrait::RowWise>() && !needsOwnKernel(op);
}

/// Gives every reader of a reshape its own copy just before it, so that a
/// reshape never decides where a kernel ends.
void repeatReshapes(Block &block) {
  SmallVector<ReshapeOp> reshapes(block.getOps<ReshapeOp>());
  for (ReshapeOp reshape : llvm::reverse(reshapes)) {
    for (OpOperand &use : llvm::make_early_inc_range(
             reshape.getResult().getUses())) {
      if (use.getOwner()->hasTrait<mlir::OpTrait::IsTerminator>())
        continue;
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*reshape)->getResult(0));
    }
    if (reshape.use_empty())
      reshape.erase();
  }
}

/// Joins ops of one kind that agree in `key`.
template <typename Op, typename Key>
void mergeAlike(Block &block, KernelGroups &groups, Key key) {
  llvm::MapVector<decltype(key(Op())), Op> leaders;
  for (Op op : block.getOps<Op>()) {
    auto [leader, added] = leaders.insert({key(op), op});
    if (!added && !groups.merge(leader->second, op))
      leader->second = op; // starts another kernel from here on
  }
}

/// The tokens that a row-wise op has one row for.
int rowsOf(Operation *op, const Dimensions &dims) {
  return dims.symbolOf(op->getResult(0), 0);
}

/// The op whose result `value` is a view of, through the reshapes in between,
/// which join the kernel of `reader`.
Operation *producerOf(Value value, Operation *reader, KernelGroups &groups) {
  Operation *producer = value.getDefiningOp();
  while (auto view = dyn_cast_or_null<ReshapeOp>(producer)) {
    groups.merge(view, reader);
    producer = view.getX().getDefiningOp();
  }
  return producer && groups.contains(producer) ? producer : nullptr;
}

/// Row-wise ops join the kernels of row-wise ops that they read.
void mergeAlongValues(Block &block, KernelGroups &groups,
                      const Dimensions &dims) {
  for (Operation &op : block) {
    if (!groups.contains(&op) || isa<ReshapeOp>(op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *producer = producerOf(operand, &op, groups);
      if (producer && isRowOp(producer) && isRowOp(&op) &&
          rowsOf(producer, dims) == rowsOf(&op, dims))
        groups.merge(producer, &op);
    }
  }
}

/// Row-wise ops in front of one reader, with rows of the same tokens, join.
void mergeBesideReader(Block &block, KernelGroups &groups,
                       const Dimensions &dims) {
  for (Operation &reader : block) {
    if (!groups.contains(&reader) || isRowOp(&reader))
      continue;
    Operation *leader = nullptr;
    for (Value operand : reader.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !groups.contains(producer) || !isRowOp(producer) ||
          isa<ReshapeOp>(producer))
        continue;
      if (leader && rowsOf(leader, dims) == rowsOf(producer, dims))
        groups.merge(leader, producer);
      else
        leader = producer;
    }
  }
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
    for (Value result : op->getResults())
      if (needsOwnKernel(op) || llvm::any_of(result.getUsers(), [&](auto *user) {
            return !inside(user);
          }))
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

struct FormKernels : k3::impl::FormKernelsPassBase<FormKernels> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("has control flow; kernels are formed in straight-line "
                         "functions only");
      return signalPassFailure();
    }
    Block &block = function.getBody().front();
    repeatReshapes(block);
    Dimensions dims(block);
    KernelGroups groups(block);
    mergeAlike<LinearOp>(block, groups, [](LinearOp op) {
      Value x = op ? op.getX() : Value();
      while (x && x.getDefiningOp<ReshapeOp>())
        x = x.getDefiningOp<ReshapeOp>().getX();
      return x;
    });
    mergeAlike<ShortConvOp>(block, groups, [](ShortConvOp op) {
      return op ? op.getCuSeqlens() : Value();
    });
    mergeAlongValues(block, groups, dims);
    mergeBesideReader(block, groups, dims);
    SmallVector<KernelGroups::Group> ordered = groups.inOrder();
    rebuild(block, ordered);
  }

  /// Access to weights and states first, then the kernels, then updates of
  /// states. The old ops go away from the last on.
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
