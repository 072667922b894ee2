// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dynamic dimensions of a function are one number.

#include "k3/Dialect/K3/Analysis/Dimensions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3 {

static bool isDynamic(Value value, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && dim < type.getRank() && type.isDynamicDim(dim);
}

Dimensions::Dimensions(Block &block) {
  for (Operation &op : block)
    visit(op);
  number(block);
}

unsigned Dimensions::nodeOf(Value value, unsigned dim) {
  auto [entry, added] = nodes.try_emplace(Node{value, dim}, parents.size());
  if (added)
    parents.push_back(entry->second);
  return entry->second;
}

unsigned Dimensions::find(unsigned node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void Dimensions::equate(Value a, unsigned dimA, Value b, unsigned dimB) {
  if (!a || !b || !isDynamic(a, dimA) || !isDynamic(b, dimB))
    return;
  unsigned rootA = find(nodeOf(a, dimA)), rootB = find(nodeOf(b, dimB));
  if (rootA == rootB)
    return;
  // The older root stays, and a name given to either holds for both.
  if (rootB < rootA)
    std::swap(rootA, rootB);
  parents[rootB] = rootA;
  auto hint = hints.find(rootB);
  if (hint == hints.end())
    return;
  std::string name = hint->second;
  hints.try_emplace(rootA, name);
}

void Dimensions::equateAll(Value a, Value b) {
  auto type = dyn_cast<RankedTensorType>(a.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
    equate(a, dim, b, dim);
}

void Dimensions::call(Value value, unsigned dim, StringRef name) {
  if (!name.empty() && isDynamic(value, dim))
    hints.try_emplace(find(nodeOf(value, dim)), name.str());
}

void Dimensions::visitSequences(Value cuSeqlens, Value slots,
                                Value contextLens) {
  equate(slots, 0, contextLens, 0);
  call(cuSeqlens, 0, "bounds");
  call(slots, 0, "N");
}

/// All token-major operands and results of a row-wise op have one length; an
/// operand whose leading dimension is static is a weight.
void Dimensions::visitRows(Operation &op) {
  Value first;
  auto join = [&](Value value) {
    if (!isDynamic(value, 0))
      return;
    if (first)
      equate(first, 0, value, 0);
    else
      first = value;
  };
  llvm::for_each(op.getOperands(), join);
  llvm::for_each(op.getResults(), join);
  if (first)
    call(first, 0, "T");
}

void Dimensions::visitKernel(Block &body, ValueRange inputs,
                             ValueRange results) {
  Dimensions inner(body);
  SmallVector<std::pair<Value, Value>> pairs; // (inside, outside)
  for (auto [argument, input] : llvm::zip(body.getArguments(), inputs))
    pairs.push_back({argument, input});
  for (auto [value, result] :
       llvm::zip(body.getTerminator()->getOperands(), results))
    pairs.push_back({value, result});
  DenseMap<int, Node> seen;
  for (auto [inside, outside] : pairs) {
    auto type = cast<RankedTensorType>(inside.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int symbol = inner.symbolOf(inside, dim);
      if (symbol < 0)
        continue;
      auto [known, added] = seen.try_emplace(symbol, Node{outside, dim});
      if (!added)
        equate(known->second.first, known->second.second, outside, dim);
      call(outside, dim, inner.kindOf(inside, dim));
    }
  }
}

StringRef Dimensions::kindOf(Value value, unsigned dim) const {
  auto node = nodes.find(Node{value, dim});
  if (node == nodes.end())
    return {};
  auto hint = hints.find(find(node->second));
  return hint == hints.end() ? StringRef() : StringRef(hint->second);
}

void Dimensions::visitLaunch(LaunchOp launch) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<KernelFuncOp>(
      launch, launch.getCalleeAttr());
  if (callee)
    visitKernel(callee.getBody().front(), launch.getInputs(),
                launch.getResults());
}

/// Rows are those of the first result; states and one decay a head have none.
void Dimensions::visitChunk(ChunkOpInterface op) {
  Value rows = op->getResult(0);
  auto step = dyn_cast<ChunkStepOp>(op.getOperation());
  auto isState = [&](Value value) {
    return step && (value == step.getState() || value == step.getNewState() ||
                    value == step.getNormalizerState() ||
                    value == step.getNewNormalizerState());
  };
  auto join = [&](Value value) {
    if (cast<RankedTensorType>(value.getType()).getRank() > 1 &&
        !isState(value))
      equate(rows, 0, value, 0);
  };
  llvm::for_each(op->getOperands(), join);
  llvm::for_each(op->getResults(), join);
  call(rows, 0, "T");
  if (step) {
    equateAll(step.getState(), step.getNewState());
    if (step.getNormalizerState()) {
      equate(step.getState(), 0, step.getNormalizerState(), 0);
      equateAll(step.getNormalizerState(), step.getNewNormalizerState());
    }
    call(step.getState(), 0, "slots");
  }
  visitSequences(op.getCuSeqlens(), op.getSlots(), op.getContextLens());
}

void Dimensions::visit(Operation &op) {
  auto pool = [&](Value before, Value after) {
    equateAll(before, after);
    call(before, 0, "slots");
  };
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](ShortConvOp conv) {
        equate(conv.getX(), 0, conv.getY(), 0);
        call(conv.getX(), 0, "T");
        pool(conv.getState(), conv.getNewState());
        visitSequences(conv.getCuSeqlens(), conv.getSlots(),
                       conv.getContextLens());
      })
      .Case([&](DeltaRuleOp rule) {
        for (Value value :
             {Value(rule.getK()), Value(rule.getV()), Value(rule.getG()),
              Value(rule.getBeta()), Value(rule.getA()), Value(rule.getB()),
              Value(rule.getO())})
          equate(rule.getQ(), 0, value, 0);
        call(rule.getQ(), 0, "T");
        pool(rule.getState(), rule.getNewState());
        if (rule.getNormalizerState()) {
          equate(rule.getState(), 0, rule.getNormalizerState(), 0);
          pool(rule.getNormalizerState(), rule.getNewNormalizerState());
        }
        visitSequences(rule.getCuSeqlens(), rule.getSlots(),
                       rule.getContextLens());
      })
      .Case([&](ChunkOpInterface chunk) { visitChunk(chunk); })
      .Case([&](LatentAppendOp append) {
        equate(append.getLatent(), 0, append.getKRot(), 0);
        call(append.getLatent(), 0, "T");
        pool(append.getCache(), append.getNewCache());
        call(append.getCache(), 1, "capacity");
        visitSequences(append.getCuSeqlens(), append.getSlots(),
                       append.getContextLens());
      })
      .Case<LatentAttentionOp, LatentAttendOp>([&](auto attention) {
        equate(attention.getQ(), 0, attention.getResult(), 0);
        call(attention.getQ(), 0, "T");
        call(attention.getCache(), 0, "slots");
        call(attention.getCache(), 1, "capacity");
        visitSequences(attention.getCuSeqlens(), attention.getSlots(),
                       attention.getContextLens());
      })
      .Case([&](LastTokenOp last) {
        call(last.getX(), 0, "T");
        call(last.getCuSeqlens(), 0, "bounds");
        call(last.getResult(), 0, "N");
      })
      .Case([&](GetStateOp get) {
        call(get.getResult(), 0, "slots");
        call(get.getResult(), 1, "capacity");
      })
      .Case([&](LaunchOp launch) { visitLaunch(launch); })
      .Case([&](KernelOp kernel) {
        visitKernel(kernel.getBody().front(), kernel.getInputs(),
                    kernel.getResults());
      })
      .Default([&](Operation *other) {
        if (other->hasTrait<OpTrait::RowWise>())
          visitRows(*other);
      });
}

/// Pools of different states, and all of `slots` and `bounds`, are one number
/// by name: a call has one batch.
void Dimensions::number(Block &block) {
  llvm::StringMap<int> shared;
  auto assign = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      unsigned root = find(nodeOf(value, dim));
      if (symbols.count(root))
        continue;
      auto hint = hints.find(root);
      bool isShared = hint != hints.end() && hint->second != "T";
      if (isShared) {
        auto known = shared.find(hint->second);
        if (known != shared.end()) {
          symbols[root] = known->second;
          continue;
        }
        shared[hint->second] = symbolNames.size();
      }
      std::string name = hint != hints.end()
                             ? hint->second
                             : "d" + std::to_string(symbolNames.size());
      if (llvm::is_contained(symbolNames, name))
        name += std::to_string(symbolNames.size());
      symbols[root] = symbolNames.size();
      symbolNames.push_back(name);
    }
  };
  llvm::for_each(block.getArguments(), assign);
  for (Operation &op : block) {
    llvm::for_each(op.getOperands(), assign);
    llvm::for_each(op.getResults(), assign);
  }
}

int Dimensions::symbolOf(Value value, unsigned dim) const {
  auto node = nodes.find(Node{value, dim});
  if (node == nodes.end())
    return -1;
  auto symbol = symbols.find(find(node->second));
  return symbol == symbols.end() ? -1 : symbol->second;
}

} // namespace k3
