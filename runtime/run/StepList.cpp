// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolution of commands. The plan is checked, so indices are in range.

#include "runtime/run/StepList.h"

#include "runtime/base/Escape.h"

#include <atomic>

using namespace k3;
using namespace k3::run;
using cpu::Step;

/// Forgets the earlier resolution.
void StepList::start(const Blocks &blocks) {
  static std::atomic<uint64_t> serials = 0;
  number = ++serials;
  valid = false;
  prepared.reset();
  memory = blocks;
  list.clear();
  pointers.clear();
  dims.clear();
}

void StepList::resolveEmpty(const EntryPlan &entry, const Blocks &blocks) {
  start(blocks);
  pointers.reserve(2 * entry.updates.size() + entry.outputs.size());
  std::vector<bool> updated(entry.outputs.size());
  for (const Update &update : entry.updates) {
    updated[size_t(update.output)] = true;
    addUpdate(update);
  }
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    const Block &block = memory.of(Place::Output)[i];
    if (updated[i] || block.bytes == 0)
      continue;
    Step step;
    step.kind = Step::Fill;
    step.bytes = block.bytes;
    step.label = "fill an output of no tokens";
    step.buffers = pointers.data() + pointers.size();
    step.numBuffers = 1;
    pointers.push_back(block.data);
    list.push_back(step);
  }
}

std::string StepList::lastName() const {
  if (list.empty())
    return "no step";
  return "step " + std::to_string(list.size() - 1) + " " +
         quote(list.back().label);
}

Status StepList::resolve(const EntryPlan &entry,
                         std::span<const cpu::KernelFn> kernels,
                         const Symbols &symbols, const Blocks &blocks) {
  start(blocks);
  values = symbols.all();
  size_t numPointers = 2 * entry.updates.size(), numDims = 0;
  for (const CommandPlan &command : entry.commands) {
    numPointers += command.buffers.size();
    numDims += command.dims.size();
  }
  // Steps point into these, so they must not grow again.
  pointers.reserve(numPointers);
  dims.reserve(numDims);
  for (const Update &update : entry.updates)
    addUpdate(update);
  for (size_t i = 0; i < entry.commands.size(); ++i)
    K3_TRY(addCommand(entry.commands[i], kernels, symbols)
               .in("command " + std::to_string(i)));
  valid = true;
  return {};
}

void StepList::addUpdate(const Update &update) {
  const Block &from = memory.of(Place::Input)[update.input];
  const Block &to = memory.of(Place::Output)[update.output];
  if (from.data == to.data || from.bytes == 0)
    return;
  Step step;
  step.kind = Step::Copy;
  step.bytes = from.bytes;
  step.label = "copy an updated input";
  step.buffers = pointers.data() + pointers.size();
  step.numBuffers = 2;
  pointers.push_back(from.data);
  pointers.push_back(to.data);
  list.push_back(step);
}

Status StepList::addCommand(const CommandPlan &command,
                            std::span<const cpu::KernelFn> kernels,
                            const Symbols &symbols) {
  Step step;
  step.label = command.label.c_str();
  step.buffers = pointers.data() + pointers.size();
  step.numBuffers = uint32_t(command.buffers.size());
  step.dims = dims.data() + dims.size();
  step.numDims = uint32_t(command.dims.size());
  if (command.kind != CommandKind::Launch) {
    step.kind = command.kind == CommandKind::Copy ? Step::Copy : Step::Fill;
    K3_TRY(symbols.evaluate(command.bytes, step.bytes));
  }
  for (const BufferRef &buffer : command.buffers) {
    const Block &block = memory.of(buffer.place)[buffer.index];
    if (buffer.offset > block.bytes || step.bytes > block.bytes - buffer.offset)
      return Status::error(Code::BadInput, 430,
                           "it reaches " + std::to_string(step.bytes) +
                               " bytes from " + std::to_string(buffer.offset) +
                               " in a buffer of " +
                               std::to_string(block.bytes));
    pointers.push_back(static_cast<char *>(block.data) + buffer.offset);
  }
  for (int32_t dim : command.dims)
    dims.push_back(symbols.get(dim));
  if (command.kind == CommandKind::Launch) {
    step.number = command.kernel;
    if (!kernels.empty())
      step.kernel = kernels[command.kernel];
    // The ceiling cannot wrap: sizes are not negative, tiles are positive.
    int64_t tiles = 1;
    if (command.gridSymbol >= 0) {
      int64_t size = symbols.get(command.gridSymbol);
      tiles = size / command.gridTile + (size % command.gridTile != 0);
    }
    if (__builtin_mul_overflow(tiles, command.gridMultiplier, &step.workgroups))
      return Status::error(Code::Resources, 423,
                           "the number of workgroups overflows");
  }
  list.push_back(step);
  return {};
}
