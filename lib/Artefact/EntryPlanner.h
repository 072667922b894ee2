// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One entry point: where its values live and what runs in which order.

#ifndef K3_LIB_ARTEFACT_ENTRYPLANNER_H
#define K3_LIB_ARTEFACT_ENTRYPLANNER_H

#include "Arena.h"
#include "PlanTypes.h"

#include "k3/Dialect/K3/Analysis/Dimensions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace k3 {

/// Numbers of what entry points refer to.
struct PlanTables {
  llvm::StringMap<int> weights, states, kernels;
  llvm::ArrayRef<LoweredKernel> lowered;
};

class EntryPlanner {
public:
  EntryPlanner(mlir::func::FuncOp function, const PlanTables &tables,
               SymbolNames &symbols);

  mlir::FailureOr<plan::Entry> run();

private:
  /// Memory that a value and those made from it in place share.
  struct Storage {
    mlir::Value origin;
    plan::Buffer buffer;
    mlir::Value current; ///< the newest value in it
    bool updated = false;
    bool placed = false; ///< `buffer` is final
    int lastUse = -1;    ///< number of the last command that reads it
  };

  mlir::LogicalResult planInterface();
  mlir::FailureOr<plan::Tensor> tensorOf(mlir::Value value, std::string name);

  /// First walk: which values share memory.
  mlir::LogicalResult findStorage();
  mlir::LogicalResult storeLaunch(LaunchOp launch);
  mlir::LogicalResult storeState(SetStateOp set);
  Storage &open(mlir::Value value, plan::Place place, int index, bool placed);

  /// Results of the function: written in place where that is possible.
  mlir::LogicalResult planOutputs();
  mlir::LogicalResult planOutput(unsigned number, mlir::Value value);
  mlir::LogicalResult copyUpdatedInputs();

  /// Second walk: commands and blocks of the workspace.
  mlir::LogicalResult planCommands();
  mlir::LogicalResult planLaunch(LaunchOp launch);
  mlir::LogicalResult placeResults(LaunchOp launch);
  void releaseAfter(int command);

  mlir::FailureOr<plan::Extent> extentOf(mlir::Value value);
  mlir::FailureOr<plan::Command> copyOf(mlir::Value value, plan::Buffer from,
                                        plan::Buffer to);
  int symbolOf(mlir::Value value, unsigned dim);
  Storage &storageOf(mlir::Value value) { return storages[numbers.at(value)]; }

  mlir::func::FuncOp function;
  mlir::Block &body;
  const PlanTables &tables;
  SymbolNames &symbols;
  Dimensions dimensions;
  plan::Entry entry;
  std::vector<Storage> storages;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::vector<plan::Command> firstCopies, lastCopies;
  Arena arena;
};

/// The names in a location, joined by '+', for profiles.
std::string labelOf(mlir::Location location);

} // namespace k3

#endif // K3_LIB_ARTEFACT_ENTRYPLANNER_H
