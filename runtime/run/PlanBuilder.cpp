// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Field by field; the checks are in PlanCheck.cpp.

#include "runtime/run/PlanBuilder.h"

#include "runtime/format/Artefact_generated.h"
#include "runtime/run/PlanCheck.h"

#include <charconv>

using namespace k3;
using namespace k3::run;

namespace {

std::string text(const flatbuffers::String *string) {
  return string ? string->str() : std::string();
}

/// Calls `each` for every element of a vector that may be absent.
template <class Vector, class Each>
void forEach(const Vector *vector, Each each) {
  if (vector)
    for (auto item : *vector)
      each(item);
}

TensorSpec tensorSpec(const artefact::Tensor &tensor) {
  TensorSpec spec;
  spec.name = text(tensor.name());
  spec.dtype = k3_dtype(tensor.dtype());
  forEach(tensor.dims(), [&](const artefact::Dim *dim) {
    spec.dims.push_back({dim->symbol(), dim->size()});
  });
  return spec;
}

Extent extentOf(const artefact::Extent &extent) {
  return {extent.symbol(), extent.scale(), extent.bytes()};
}

CommandPlan commandPlan(const artefact::Command &command) {
  CommandPlan plan;
  plan.kind = CommandKind(command.kind());
  plan.kernel = command.kernel();
  forEach(command.buffers(), [&](const artefact::Buffer *buffer) {
    plan.buffers.push_back(
        {Place(buffer->place()), buffer->index(), buffer->offset()});
  });
  forEach(command.dims(), [&](int32_t dim) { plan.dims.push_back(dim); });
  plan.gridSymbol = command.grid_symbol();
  plan.gridTile = command.grid_tile();
  plan.gridMultiplier = command.grid_multiplier();
  if (command.bytes())
    plan.bytes = extentOf(*command.bytes());
  plan.label = text(command.label());
  return plan;
}

EntryPlan entryPlan(const artefact::Entry &entry) {
  EntryPlan plan;
  plan.name = text(entry.name());
  forEach(entry.inputs(), [&](const artefact::Argument *argument) {
    plan.inputs.push_back(
        {tensorSpec(*argument->tensor()), Role(argument->role())});
  });
  forEach(entry.outputs(), [&](const artefact::Tensor *tensor) {
    plan.outputs.push_back(tensorSpec(*tensor));
  });
  forEach(entry.arena(), [&](const artefact::Extent *extent) {
    plan.arena.push_back(extentOf(*extent));
  });
  forEach(entry.commands(), [&](const artefact::Command *command) {
    plan.commands.push_back(commandPlan(*command));
  });
  forEach(entry.updates(), [&](const artefact::Update *update) {
    plan.updates.push_back({update->output(), update->input()});
  });
  return plan;
}

state::StateSpec stateSpec(const artefact::State &state) {
  state::StateSpec spec;
  spec.name = text(state.name());
  spec.dtype = k3_dtype(state.dtype());
  forEach(state.shape(), [&](int64_t size) { spec.shape.push_back(size); });
  return spec;
}

/// The metadata's vocabulary size, or 0.
int64_t vocabularyOf(const ModelPlan &plan) {
  const std::string *value = plan.findMetadata("vocab_size");
  int64_t size = 0;
  if (value)
    std::from_chars(value->data(), value->data() + value->size(), size);
  return size > 0 ? size : 0;
}

} // namespace

Status k3::run::buildPlan(const artefact::Index &index, ModelPlan &out) {
  ModelPlan plan;
  plan.sourceSha256 = text(index.source_sha256());
  plan.precision = text(index.precision());
  forEach(index.symbols(), [&](const flatbuffers::String *symbol) {
    plan.symbols.push_back(text(symbol));
  });
  plan.slotsSymbol = index.slots_symbol();
  plan.capacitySymbol = index.capacity_symbol();
  plan.numWeights = index.weights() ? index.weights()->size() : 0;
  forEach(index.states(), [&](const artefact::State *state) {
    plan.states.push_back(stateSpec(*state));
  });
  forEach(index.kernels(), [&](const artefact::Kernel *kernel) {
    plan.kernels.push_back({text(kernel->symbol()), kernel->scratch()});
  });
  forEach(index.entries(), [&](const artefact::Entry *entry) {
    plan.entries.push_back(entryPlan(*entry));
  });
  forEach(index.metadata(), [&](const artefact::Pair *pair) {
    plan.metadata.emplace_back(text(pair->key()), text(pair->value()));
  });
  plan.vocabulary = vocabularyOf(plan);
  K3_TRY(checkPlan(plan));
  out = std::move(plan);
  return {};
}
