// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a caller's tensors to checked symbols, sequences and memory blocks.

#include "runtime/run/Session.h"

#include <algorithm>
#include <climits>

using namespace k3;
using namespace k3::run;

namespace {

/// Of a block of the workspace, enough for every device.
constexpr int64_t blockAlignment = 256;

bool isUpdated(const EntryPlan &entry, size_t input) {
  for (const Update &update : entry.updates)
    if (size_t(update.input) == input)
      return true;
  return false;
}

std::span<const int32_t> integers(const k3_tensor &tensor) {
  return {static_cast<const int32_t *>(tensor.data), size_t(tensor.shape[0])};
}

} // namespace

/// The pool's size and capacity are the session's own; inputs that name them
/// must agree when the model has states, and decide them when it has none.
Status Session::bindSession(Symbols &symbols, const char *origin) {
  const ModelPlan &plan = modelRef->plan();
  if (plan.slotsSymbol >= 0 && !symbols.isBound(plan.slotsSymbol))
    K3_TRY(symbols.bind(plan.slotsSymbol, pool->slots(), origin));
  if (plan.capacitySymbol >= 0 && !symbols.isBound(plan.capacitySymbol))
    K3_TRY(symbols.bind(plan.capacitySymbol, pool->capacity(), origin));
  return {};
}

Status Session::bindArguments(const EntryPlan &entry, Symbols &symbols) {
  bool hasStates = !modelRef->plan().states.empty();
  if (hasStates)
    K3_TRY(bindSession(symbols, "the session"));
  for (size_t i = 0; i < entry.inputs.size(); ++i)
    if (const k3_tensor *input = call.arguments.inputs[i]) {
      K3_TRY(bindShape(entry.inputs[i], *input, symbols));
      K3_TRY(checkMemory(entry.inputs[i], *input));
    }
  K3_TRY(bindSession(symbols, "the session"));
  K3_TRY(supplyContext(entry, symbols));
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    K3_TRY(bindShape(entry.outputs[i], *call.arguments.outputs[i], symbols));
    K3_TRY(checkMemory(entry.outputs[i], *call.arguments.outputs[i]));
  }
  return {};
}

/// Fills in the lengths of the named slots when the caller leaves them out.
Status Session::supplyContext(const EntryPlan &entry, Symbols &symbols) {
  int at = entry.findRole(Role::ContextLens);
  if (at < 0 || call.arguments.inputs[at])
    return {};
  int slotsAt = entry.findRole(Role::Slots);
  if (slotsAt < 0)
    return Status::error(Code::BadUsage, 404,
                         "input '" + entry.inputs[at].name +
                             "' is missing, and there are no slots to take "
                             "it from");
  if (call.arguments.inputs[slotsAt]->memory != K3_HOST)
    return Status::error(Code::BadUsage, 404,
                         "input '" + entry.inputs[at].name +
                             "' is missing, and the slots are in device "
                             "memory, where the session does not look");
  std::span<const int32_t> slots = integers(*call.arguments.inputs[slotsAt]);
  call.contextLens.assign(slots.size(), 0);
  for (size_t n = 0; n < slots.size(); ++n) {
    if (slots[n] < 0)
      continue; // a padded row, or out of range and refused later
    K3_TRY(pool->checkAlive(slots[n]).in("slots[" + std::to_string(n) + "]"));
    // Kernels without a per-token state only ask whether this is zero.
    call.contextLens[n] =
        int32_t(std::min<int64_t>(pool->length(slots[n]), INT32_MAX));
  }
  call.contextTensor = {};
  call.contextTensor.dtype = K3_I32;
  call.contextTensor.rank = 1;
  call.contextTensor.shape[0] = int64_t(slots.size());
  call.contextTensor.data = call.contextLens.data();
  call.contextTensor.bytes = slots.size() * sizeof(int32_t);
  call.arguments.inputs[at] = &call.contextTensor;
  return bindShape(entry.inputs[at], call.contextTensor, symbols);
}

/// The dimension that sequences cut: that of `tokens`, or of the first dense
/// input that is not updated. -1 when there is none.
int32_t Session::tokenSymbol(const EntryPlan &entry) const {
  int at = entry.findRole(Role::Tokens);
  if (at >= 0)
    return entry.inputs[at].dims[0].symbol;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const ArgumentSpec &input = entry.inputs[i];
    if (input.role == Role::Plain && !isUpdated(entry, i) &&
        !input.dims.empty() && input.dims[0].symbol >= 0)
      return input.dims[0].symbol;
  }
  return -1;
}

/// How many slots the kernels may address. A model without states works on
/// pools that the caller brings: the dense inputs whose leading dimension is
/// neither the token axis nor the number of sequences.
int64_t Session::poolSize(const EntryPlan &entry) const {
  const ModelPlan &plan = modelRef->plan();
  if (!plan.states.empty())
    return pool->slots();
  int32_t tokens = tokenSymbol(entry);
  int at = entry.findRole(Role::Slots);
  int32_t sequences = at < 0 ? -1 : entry.inputs[at].dims[0].symbol;
  int64_t size = INT32_MAX;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const ArgumentSpec &input = entry.inputs[i];
    if (input.role != Role::Plain || input.dims.empty())
      continue;
    int32_t symbol = input.dims[0].symbol;
    bool isPool = isUpdated(entry, i) ||
                  (symbol >= 0 && symbol != tokens && symbol != sequences);
    if (isPool)
      size = std::min(size, call.arguments.inputs[i]->shape[0]);
  }
  return size;
}

Status Session::readSequences(const EntryPlan &entry, const Symbols &symbols) {
  const ModelPlan &plan = modelRef->plan();
  Sequences &s = call.sequences;
  s = {};
  auto read = [&](Role role, bool &has, std::span<const int32_t> &values) {
    int at = entry.findRole(role);
    // What is on a device is the caller's to get right.
    has = at >= 0 && call.arguments.inputs[at]->memory == K3_HOST;
    if (has)
      values = integers(*call.arguments.inputs[at]);
  };
  read(Role::CuSeqlens, s.hasCuSeqlens, s.cuSeqlens);
  read(Role::Slots, s.hasSlots, s.slots);
  read(Role::ContextLens, s.hasContextLens, s.contextLens);
  if (s.hasCuSeqlens || s.hasSlots)
    if (int32_t symbol = tokenSymbol(entry); symbol >= 0)
      s.tokens = symbols.get(symbol);
  K3_TRY(checkCuSeqlens(s));
  if (!s.hasCuSeqlens && s.hasSlots && s.tokens >= 0 && s.tokens != s.count())
    return Status::error(Code::BadInput, 413,
                         "there are " + std::to_string(s.tokens) +
                             " tokens for " + std::to_string(s.count()) +
                             " sequences (wanted one each)");
  K3_TRY(checkSlots(s, poolSize(entry)));
  if (!plan.states.empty())
    for (size_t n = 0; n < s.slots.size(); ++n)
      if (s.slots[n] >= 0)
        K3_TRY(pool->checkWhole(s.slots[n])
                   .in("slots[" + std::to_string(n) + "]"));
  K3_TRY(checkContext(
      s, plan.capacitySymbol < 0 ? -1 : symbols.get(plan.capacitySymbol)));
  int tokens = entry.findRole(Role::Tokens);
  if (plan.vocabulary > 0 && tokens >= 0 &&
      call.arguments.inputs[tokens]->memory == K3_HOST &&
      entry.inputs[tokens].dtype == K3_I32 &&
      entry.inputs[tokens].dims.size() == 1)
    K3_TRY(
        checkTokens(integers(*call.arguments.inputs[tokens]), plan.vocabulary));
  return {};
}

/// Sizes the workspace and lists it and the states.
Status Session::layOut(const EntryPlan &entry, const Symbols &symbols) {
  Blocks &blocks = call.blocks;
  blocks.of(Place::State).clear();
  for (size_t i = 0; i < pool->states().size(); ++i)
    blocks.of(Place::State).push_back({pool->base(i), pool->poolBytes(i)});

  std::vector<int64_t> offsets;
  int64_t total = 0;
  blocks.of(Place::Arena).clear();
  for (const Extent &extent : entry.arena) {
    int64_t bytes, padded;
    K3_TRY(symbols.evaluate(extent, bytes));
    if (__builtin_add_overflow(bytes, blockAlignment - 1, &padded) ||
        __builtin_add_overflow(total, padded & -blockAlignment, &padded))
      return Status::error(Code::Resources, 423,
                           "the workspace size overflows");
    offsets.push_back(total);
    blocks.of(Place::Arena).push_back({nullptr, bytes});
    total = padded;
  }
  uint8_t *arena = nullptr;
  K3_TRY(executor->workspace(uint64_t(total),
                             "the workspace of " +
                                 std::to_string(entry.arena.size()) + " blocks",
                             arena));
  for (size_t i = 0; i < offsets.size(); ++i)
    blocks.of(Place::Arena)[i].data = arena + offsets[i];
  return {};
}
