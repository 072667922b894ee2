// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of ops that will be one kernel each, and the order between them.

#include "KernelGroups.h"

#include "llvm/ADT/DenseSet.h"

#include <queue>

using namespace mlir;

namespace k3 {

bool isTensorOp(Operation &op) {
  return isa_and_nonnull<K3Dialect>(op.getDialect()) &&
         !isa<GetWeightOp, GetStateOp, SetStateOp, KernelOp, LaunchOp, YieldOp>(
             op);
}

KernelGroups::KernelGroups(Block &block) {
  unsigned number = 0;
  for (Operation &op : block) {
    position[&op] = number;
    if (isTensorOp(op)) {
      groups[number].insert(&op);
      groupOf[&op] = number;
    }
    ++number;
  }
  for (Operation &op : block)
    if (auto inPlace = dyn_cast<InPlaceOpInterface>(op))
      for (auto [operand, result] : inPlace.getUpdates())
        for (Operation *reader : op.getOperand(operand).getUsers())
          if (contains(reader) && reader->isBeforeInBlock(&op))
            updatesAfter[reader].push_back(&op);
}

void KernelGroups::forEachSuccessor(
    unsigned group, llvm::function_ref<void(unsigned)> visit) const {
  auto visitOp = [&](Operation *next) {
    auto found = groupOf.find(next);
    if (found != groupOf.end() && found->second != group)
      visit(found->second);
  };
  for (Operation *op : groups.find(group)->second) {
    for (Operation *user : op->getUsers())
      visitOp(user);
    auto updates = updatesAfter.find(op);
    if (updates != updatesAfter.end())
      llvm::for_each(updates->second, visitOp);
  }
}

bool KernelGroups::isSuccessor(unsigned from, unsigned to) const {
  bool found = false;
  forEachSuccessor(from, [&](unsigned next) { found |= next == to; });
  return found;
}

bool KernelGroups::reachesThroughOthers(unsigned from, unsigned to) const {
  llvm::DenseSet<unsigned> seen;
  SmallVector<unsigned> pending;
  forEachSuccessor(from, [&](unsigned next) {
    if (next != to && seen.insert(next).second)
      pending.push_back(next);
  });
  bool reached = false;
  while (!pending.empty() && !reached)
    forEachSuccessor(pending.pop_back_val(), [&](unsigned next) {
      reached |= next == to;
      if (seen.insert(next).second)
        pending.push_back(next);
    });
  return reached;
}

void KernelGroups::join(unsigned first, unsigned second) {
  for (Operation *op : groups.find(second)->second) {
    groups.find(first)->second.insert(op);
    groupOf[op] = first;
  }
  groups.erase(second);
}

bool KernelGroups::merge(Operation *a, Operation *b) {
  unsigned first = numberOf(a), second = numberOf(b);
  if (first == second)
    return true;
  if (reachesThroughOthers(first, second) ||
      reachesThroughOthers(second, first))
    return false;
  join(first, second);
  return true;
}

bool KernelGroups::mergeIndependent(Operation *a, Operation *b) {
  unsigned first = numberOf(a), second = numberOf(b);
  if (isSuccessor(first, second) || isSuccessor(second, first))
    return false;
  return merge(a, b);
}

llvm::DenseMap<Operation *, unsigned> KernelGroups::levels() const {
  llvm::DenseMap<Operation *, unsigned> levels;
  llvm::DenseMap<unsigned, unsigned> levelOf;
  for (const Group &group : inOrder()) {
    unsigned number = numberOf(group.front());
    unsigned level = levelOf.lookup(number);
    for (Operation *op : group)
      levels[op] = level;
    forEachSuccessor(number, [&](unsigned next) {
      levelOf[next] = std::max(levelOf.lookup(next), level + 1);
    });
  }
  return levels;
}

SmallVector<KernelGroups::Group> KernelGroups::inOrder() const {
  // Kahn's algorithm; among ready groups the one whose first op comes first.
  llvm::DenseMap<unsigned, unsigned> waitingFor;
  for (auto &[group, ops] : groups) {
    llvm::DenseSet<unsigned> successors;
    forEachSuccessor(group, [&](unsigned next) { successors.insert(next); });
    for (unsigned next : successors)
      ++waitingFor[next];
  }
  auto firstPosition = [&](unsigned group) {
    unsigned first = ~0u;
    for (Operation *op : groups.find(group)->second)
      first = std::min(first, position.lookup(op));
    return first;
  };
  using Ready = std::pair<unsigned, unsigned>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (auto &[group, ops] : groups)
    if (!waitingFor.lookup(group))
      ready.push({firstPosition(group), group});
  SmallVector<Group> ordered;
  while (!ready.empty()) {
    unsigned group = ready.top().second;
    ready.pop();
    SmallVector<Operation *> ops(groups.find(group)->second.begin(),
                                 groups.find(group)->second.end());
    llvm::sort(ops, [&](Operation *x, Operation *y) {
      return position.lookup(x) < position.lookup(y);
    });
    ordered.emplace_back(ops.begin(), ops.end());
    llvm::DenseSet<unsigned> successors;
    forEachSuccessor(group, [&](unsigned next) { successors.insert(next); });
    for (unsigned next : successors)
      if (--waitingFor[next] == 0)
        ready.push({firstPosition(next), next});
  }
  return ordered;
}

} // namespace k3
