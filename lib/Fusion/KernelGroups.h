// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of ops that will be one kernel each, and the order between them.

#ifndef K3_FUSION_KERNELGROUPS_H
#define K3_FUSION_KERNELGROUPS_H

#include "k3/Dialect/K3/IR/K3.h"
#include "k3/Dialect/K3/IR/KernelKinds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace k3 {

/// True for k3 ops that compute tensors, which is what kernels hold.
bool isTensorOp(mlir::Operation &op);

/// A partition of a block's tensor ops. Two groups may merge when the graph of
/// groups stays free of cycles. Its edges are the uses of values, and the order
/// between the readers of a state and the op that updates it in place.
class KernelGroups {
public:
  using Group = llvm::SmallSetVector<mlir::Operation *, 4>;

  /// Starts with one group an op.
  explicit KernelGroups(mlir::Block &block);

  /// Joins the groups of two ops; false, and nothing changes, when a third
  /// group would have to run both after and before the joint one.
  bool merge(mlir::Operation *a, mlir::Operation *b);

  /// As `merge`, but also false when one of the groups reads the other.
  bool mergeIndependent(mlir::Operation *a, mlir::Operation *b);

  bool contains(mlir::Operation *op) const { return groupOf.count(op); }

  /// A number that the ops of a group share.
  unsigned numberOf(mlir::Operation *op) const { return groupOf.lookup(op); }

  /// The groups in an order in which they can run; the ops of a group are in
  /// program order.
  llvm::SmallVector<Group> inOrder() const;

  /// For every op, how many groups must at least run before its own.
  llvm::DenseMap<mlir::Operation *, unsigned> levels() const;

private:
  void join(unsigned first, unsigned second);
  /// True when a path of at least one other group leads from `from` to `to`.
  bool reachesThroughOthers(unsigned from, unsigned to) const;
  bool isSuccessor(unsigned from, unsigned to) const;
  void forEachSuccessor(unsigned group,
                        llvm::function_ref<void(unsigned)> visit) const;

  llvm::MapVector<unsigned, Group> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
  /// Readers of a state -> the ops that update it after them.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 1>>
      updatesAfter;
};

} // namespace k3

#endif // K3_FUSION_KERNELGROUPS_H
