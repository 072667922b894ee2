// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results, copies and launches of an entry point.

#include "EntryPlanner.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace k3;

FailureOr<plan::Extent> EntryPlanner::extentOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<plan::DType> dtype = dtypeOf(type.getElementType());
  plan::Extent extent;
  SmallVector<int64_t> sizes = {dtype ? elementBytes(*dtype) : -1};
  unsigned dynamic = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (type.isDynamicDim(i)) {
      ++dynamic;
      extent.symbol = symbolOf(value, i);
    } else {
      sizes.push_back(type.getDimSize(i));
    }
  }
  std::optional<int64_t> bytes = checkedProduct(sizes);
  if (!bytes)
    return emitError(value.getLoc())
           << "value of type " << type << " is too large";
  if (dynamic > 1)
    return emitError(value.getLoc())
           << "value of type " << type
           << " has more than one dynamic dimension (wanted one, outside of "
              "states)";
  (dynamic ? extent.scale : extent.bytes) = *bytes;
  return extent;
}

FailureOr<plan::Command> EntryPlanner::copyOf(Value value, plan::Buffer from,
                                              plan::Buffer to) {
  FailureOr<plan::Extent> bytes = extentOf(value);
  if (failed(bytes))
    return failure();
  plan::Command copy;
  copy.kind = plan::CommandKind::Copy;
  copy.buffers = {from, to};
  copy.bytes = *bytes;
  copy.label = labelOf(value.getLoc());
  return copy;
}

LogicalResult EntryPlanner::planOutput(unsigned number, Value value) {
  Storage &storage = storageOf(value);
  plan::Buffer output{plan::Place::Output, int(number)};
  if (storage.current != value)
    return function.emitError("result ")
           << number << " was updated in place by a later launch";
  if (storage.buffer.place == plan::Place::State)
    return function.emitError("result ") << number << " is the pool of a state";
  bool isInput = storage.buffer.place == plan::Place::Input;
  auto type = cast<RankedTensorType>(value.getType());
  bool starts = isInput && (storage.updated || type.getNumDynamicDims() > 1);
  if (starts)
    entry.updates.push_back({int(number), storage.buffer.index});
  if ((starts && storage.updated) || !storage.placed) {
    storage.buffer = output;
    storage.placed = true;
    return success();
  }
  if (starts)
    return success();
  FailureOr<plan::Command> copy = copyOf(value, storage.buffer, output);
  if (failed(copy))
    return failure();
  lastCopies.push_back(*copy);
  return success();
}

LogicalResult EntryPlanner::planOutputs() {
  for (auto [number, value] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    if (failed(planOutput(number, value)))
      return failure();
  return success();
}

/// An input whose new value nobody gets is updated in the workspace, since the
/// caller's inputs are not written.
LogicalResult EntryPlanner::copyUpdatedInputs() {
  for (Storage &storage : storages) {
    if (storage.buffer.place != plan::Place::Input || !storage.updated)
      continue;
    FailureOr<plan::Extent> extent = extentOf(storage.origin);
    if (failed(extent))
      return failure();
    plan::Buffer block{plan::Place::Arena, arena.take(*extent)};
    FailureOr<plan::Command> copy =
        copyOf(storage.origin, storage.buffer, block);
    if (failed(copy))
      return failure();
    entry.commands.push_back(*copy);
    storage.buffer = block;
    storage.lastUse = INT_MAX; // its block is not given to others
  }
  return success();
}

LogicalResult EntryPlanner::planCommands() {
  int number = int(entry.commands.size());
  auto launches = body.getOps<LaunchOp>();
  for (LaunchOp launch : launches) {
    auto read = [&](Value value) {
      Storage &storage = storageOf(value);
      storage.lastUse = std::max(storage.lastUse, number);
    };
    llvm::for_each(launch.getInputs(), read);
    llvm::for_each(launch.getResults(), read);
    ++number;
  }
  for (LaunchOp launch : launches)
    if (failed(planLaunch(launch)))
      return failure();
  llvm::append_range(entry.commands, lastCopies);
  entry.arena = arena.blocks;
  return success();
}

LogicalResult EntryPlanner::placeResults(LaunchOp launch) {
  for (Value result : launch.getResults()) {
    Storage &storage = storageOf(result);
    if (storage.placed)
      continue;
    FailureOr<plan::Extent> extent = extentOf(result);
    if (failed(extent))
      return failure();
    storage.buffer.index = arena.take(*extent);
    storage.placed = true;
  }
  return success();
}

LogicalResult EntryPlanner::planLaunch(LaunchOp launch) {
  if (failed(placeResults(launch)))
    return failure();
  plan::Command command;
  command.kernel = tables.kernels.lookup(launch.getCallee());
  command.label = labelOf(launch.getLoc());
  if (command.label.empty())
    command.label = launch.getCallee().str();
  SmallVector<Value> values(launch.getInputs());
  llvm::append_range(values, launch.getResults());
  for (Value value : values)
    command.buffers.push_back(storageOf(value).buffer);
  const LoweredKernel &kernel = tables.lowered[command.kernel];
  for (auto [buffer, dim] : kernel.dims) {
    int symbol = buffer < values.size() ? symbolOf(values[buffer], dim) : -1;
    if (symbol < 0)
      return launch.emitOpError("internal error: kernel reads dimension ")
             << dim << " of buffer " << buffer << ", which has no symbol";
    command.dims.push_back(symbol);
  }
  if (kernel.gridDim >= 0)
    command.gridSymbol = command.dims[kernel.gridDim];
  command.gridTile = kernel.tile;
  command.gridMultiplier = kernel.multiplier;
  entry.commands.push_back(std::move(command));
  releaseAfter(int(entry.commands.size()) - 1);
  return success();
}

void EntryPlanner::releaseAfter(int command) {
  for (const Storage &storage : storages)
    if (storage.lastUse == command &&
        storage.buffer.place == plan::Place::Arena)
      arena.release(storage.buffer.index);
}

static void gatherNames(Location location, SmallVectorImpl<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    if (!llvm::is_contained(names, name.getName().getValue()))
      names.push_back(name.getName().getValue());
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location inner : fused.getLocations())
      gatherNames(inner, names);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    gatherNames(call.getCallee(), names);
  }
}

std::string k3::labelOf(Location location) {
  SmallVector<StringRef> names;
  gatherNames(location, names);
  return llvm::join(names, "+");
}
