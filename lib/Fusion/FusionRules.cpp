// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops share a kernel.

#include "FusionRules.h"

#include "k3/Dialect/K3/Analysis/Dimensions.h"

#include <map>

using namespace mlir;

namespace k3 {

static constexpr llvm::StringLiteral cycleReason =
    "a joint kernel would have to wait for its own results";

/// What a reshape is a view of, through other reshapes.
static Value sourceOf(Value value) {
  while (auto view = value.getDefiningOp<ReshapeOp>())
    value = view.getX();
  return value;
}

void repeatReshapes(Block &block) {
  SmallVector<ReshapeOp> reshapes(block.getOps<ReshapeOp>());
  for (ReshapeOp reshape : llvm::reverse(reshapes)) {
    for (OpOperand &use :
         llvm::make_early_inc_range(reshape.getResult().getUses())) {
      if (!isTensorOp(*use.getOwner()))
        continue;
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*reshape)->getResult(0));
    }
    if (reshape.use_empty())
      reshape.erase();
  }
}

namespace {

/// Applies the rules one after the other, each in program order.
class GroupMerger {
public:
  GroupMerger(Block &block, KernelGroups &groups)
      : block(block), groups(groups), dims(block) {}

  std::vector<MissedFusion> run() {
    mergeLinears();
    mergeConvolutions();
    mergeChunks();
    mergeAlongValues();
    mergeBesideReader();
    mergeBesideProducer();
    return std::move(missed);
  }

private:
  static bool isRowOp(Operation *op) {
    return op->hasTrait<k3::OpTrait::RowWise>() && !isAnchor(op) &&
           !isa<ReshapeOp>(op);
  }
  bool haveSameRows(Operation *a, Operation *b) const {
    return dims.symbolOf(a->getResult(0), 0) ==
               dims.symbolOf(b->getResult(0), 0) &&
           cast<RankedTensorType>(a->getResult(0).getType()).getDimSize(0) ==
               cast<RankedTensorType>(b->getResult(0).getType()).getDimSize(0);
  }
  Operation *producerOf(Value value) const {
    Operation *producer = sourceOf(value).getDefiningOp();
    return producer && groups.contains(producer) ? producer : nullptr;
  }
  void mergeOrReport(Operation *first, Operation *second) {
    if (!groups.merge(first, second))
      missed.push_back({second, cycleReason.str()});
  }

  /// Products of the same rows.
  void mergeLinears() {
    llvm::MapVector<Value, LinearOp> leaders;
    for (LinearOp op : block.getOps<LinearOp>()) {
      auto [leader, added] = leaders.insert({sourceOf(op.getX()), op});
      if (!added && !groups.mergeIndependent(leader->second, op)) {
        missed.push_back({op, cycleReason.str()});
        leader->second = op; // starts another kernel from here on
      }
    }
  }

  /// Convolutions of the same sequences.
  void mergeConvolutions() {
    llvm::MapVector<Value, ShortConvOp> leaders;
    for (ShortConvOp op : block.getOps<ShortConvOp>()) {
      auto [leader, added] = leaders.insert({op.getCuSeqlens(), op});
      if (added)
        continue;
      // A convolution further down the model reads this one's result.
      if (leader->second.getSlots() != op.getSlots() ||
          leader->second.getContextLens() != op.getContextLens() ||
          !groups.mergeIndependent(leader->second, op))
        leader->second = op;
    }
  }

  /// Steps of one chunked recurrence.
  void mergeChunks() {
    for (auto op : block.getOps<ChunkOpInterface>())
      for (Value operand : op->getOperands()) {
        auto producer =
            dyn_cast_or_null<ChunkOpInterface>(operand.getDefiningOp());
        if (producer && producer.getCuSeqlens() == op.getCuSeqlens() &&
            producer.getSlots() == op.getSlots() &&
            producer.getContextLens() == op.getContextLens() &&
            producer.getChunkSize() == op.getChunkSize())
          mergeOrReport(producer, op);
      }
  }

  /// A view joins its reader, and row-wise ops join the row-wise ops that they
  /// read. A view that the function returns joins what it is a view of, when
  /// nothing else reads that.
  void mergeAlongValues() {
    for (Operation &op : block) {
      if (!groups.contains(&op))
        continue;
      if (auto view = dyn_cast<ReshapeOp>(op)) {
        Operation *producer = view.getX().getDefiningOp();
        bool returned = llvm::none_of(op.getUsers(), [&](Operation *user) {
          return groups.contains(user);
        });
        if (returned && producer && groups.contains(producer) &&
            view.getX().hasOneUse())
          groups.merge(producer, &op);
        continue;
      }
      for (Value operand : op.getOperands())
        mergeAlongValue(op, operand);
    }
  }

  void mergeAlongValue(Operation &op, Value operand) {
    for (Value value = operand; auto view = value.getDefiningOp<ReshapeOp>();
         value = view.getX())
      groups.merge(view, &op);
    Operation *producer = producerOf(operand);
    if (!producer || !isRowOp(producer) || !isRowOp(&op))
      return;
    if (haveSameRows(producer, &op))
      mergeOrReport(producer, &op);
    else
      missed.push_back({&op, "its rows are not those of what it reads"});
  }

  /// Row-wise ops in front of one reader.
  void mergeBesideReader() {
    for (Operation &reader : block) {
      if (!groups.contains(&reader) || !isAnchor(&reader))
        continue;
      Operation *leader = nullptr;
      for (Value operand : reader.getOperands()) {
        Operation *producer = producerOf(operand);
        if (!producer || !isRowOp(producer))
          continue;
        if (leader && haveSameRows(leader, producer))
          mergeOrReport(leader, producer);
        else
          leader = producer;
      }
    }
  }

  /// Row-wise ops behind one kernel that can start at the same time.
  void mergeBesideProducer() {
    llvm::DenseMap<Operation *, unsigned> levels = groups.levels();
    using Key = std::tuple<unsigned, unsigned, int>; // producer, level, rows
    std::map<Key, Operation *> leaders;
    for (Operation &op : block) {
      if (!groups.contains(&op) || !isRowOp(&op))
        continue;
      for (Value operand : op.getOperands()) {
        Operation *producer = producerOf(operand);
        if (!producer || groups.numberOf(producer) == groups.numberOf(&op))
          continue;
        Key key{groups.numberOf(producer), levels.lookup(&op),
                dims.symbolOf(op.getResult(0), 0)};
        Operation *leader = leaders.try_emplace(key, &op).first->second;
        if (haveSameRows(leader, &op))
          groups.merge(leader, &op);
      }
    }
  }

  Block &block;
  KernelGroups &groups;
  Dimensions dims;
  std::vector<MissedFusion> missed;
};

} // namespace

std::vector<MissedFusion> mergeGroups(Block &block, KernelGroups &groups) {
  return GroupMerger(block, groups).run();
}

} // namespace k3
