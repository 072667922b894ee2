// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks entry by entry: arguments, workspace, commands.

#include "runtime/run/PlanCheck.h"

#include <set>

using namespace k3;
using namespace k3::run;

namespace {

class EntryCheck {
public:
  EntryCheck(const ModelPlan &model, const EntryPlan &entry)
      : model(model), entry(entry), bound(model.symbols.size(), false) {}

  Status run() {
    // The session knows the pool, and it knows it before any input is read.
    if (model.slotsSymbol >= 0)
      bound[model.slotsSymbol] = true;
    if (model.capacitySymbol >= 0)
      bound[model.capacitySymbol] = true;
    std::set<std::string> names;
    std::set<Role> roles;
    for (const ArgumentSpec &input : entry.inputs) {
      K3_TRY(checkTensor(input, names));
      K3_TRY(checkRole(input, roles));
      for (const Dim &dim : input.dims)
        if (dim.symbol >= 0)
          bound[dim.symbol] = true;
    }
    names.clear();
    for (const TensorSpec &output : entry.outputs) {
      K3_TRY(checkTensor(output, names));
      for (const Dim &dim : output.dims)
        K3_TRY(checkBound(dim.symbol, "output '" + output.name + "'"));
    }
    for (const Extent &extent : entry.arena)
      K3_TRY(checkExtent(extent, "a workspace block"));
    for (const Update &update : entry.updates)
      K3_TRY(checkUpdate(update));
    for (size_t i = 0; i < entry.commands.size(); ++i)
      K3_TRY(
          checkCommand(entry.commands[i]).in("command " + std::to_string(i)));
    return {};
  }

private:
  static Status refuse(const std::string &text) {
    return Status::error(Code::BadInput, 430, text);
  }

  bool isSymbol(int32_t symbol) const {
    return symbol >= 0 && size_t(symbol) < model.symbols.size();
  }

  Status checkTensor(const TensorSpec &spec, std::set<std::string> &names) {
    if (!names.insert(spec.name).second)
      return refuse("argument '" + spec.name + "' appears twice");
    if (spec.dims.size() > K3_MAX_RANK)
      return refuse("argument '" + spec.name + "' has rank " +
                    std::to_string(spec.dims.size()) + " (at most " +
                    std::to_string(K3_MAX_RANK) + ")");
    if (elementBytes(spec.dtype) == 0)
      return refuse("argument '" + spec.name + "' has element type " +
                    std::to_string(int(spec.dtype)));
    for (const Dim &dim : spec.dims)
      if (dim.symbol >= 0 ? !isSymbol(dim.symbol) : dim.size < 0)
        return refuse("argument '" + spec.name + "' has a dimension of " +
                      (dim.symbol >= 0 ? "symbol " + std::to_string(dim.symbol)
                                       : std::to_string(dim.size)));
    return {};
  }

  Status checkRole(const ArgumentSpec &input, std::set<Role> &roles) {
    if (input.role == Role::Plain)
      return {};
    if (input.role > Role::ContextLens)
      return refuse("argument '" + input.name + "' has role " +
                    std::to_string(int(input.role)));
    if (!roles.insert(input.role).second)
      return refuse("argument '" + input.name +
                    "' has the role of another argument");
    if (input.dims.empty() ||
        (input.role != Role::Tokens &&
         (input.dims.size() != 1 || input.dtype != K3_I32)))
      return refuse("argument '" + input.name +
                    "' does not fit its role (wanted I32 of rank 1)");
    return {};
  }

  Status checkBound(int32_t symbol, const std::string &user) {
    if (symbol < 0)
      return {};
    if (!isSymbol(symbol))
      return refuse(user + " uses symbol " + std::to_string(symbol) + " of " +
                    std::to_string(model.symbols.size()));
    if (!bound[symbol])
      return refuse(user + " uses the dimension '" + model.symbols[symbol] +
                    "', which no input gives");
    return {};
  }

  Status checkExtent(const Extent &extent, const std::string &user) {
    if (extent.scale < 0 || extent.bytes < 0)
      return refuse(user + " has a negative size");
    return checkBound(extent.symbol, user);
  }

  Status checkUpdate(const Update &update) {
    if (update.output < 0 || size_t(update.output) >= entry.outputs.size() ||
        update.input < 0 || size_t(update.input) >= entry.inputs.size())
      return refuse("an update names output " + std::to_string(update.output) +
                    " and input " + std::to_string(update.input));
    const TensorSpec &output = entry.outputs[update.output];
    const TensorSpec &input = entry.inputs[update.input];
    bool same =
        output.dtype == input.dtype && output.dims.size() == input.dims.size();
    for (size_t i = 0; same && i < output.dims.size(); ++i)
      same = output.dims[i].symbol == input.dims[i].symbol &&
             (output.dims[i].symbol >= 0 ||
              output.dims[i].size == input.dims[i].size);
    if (!same)
      return refuse("output '" + output.name + "' updates input '" +
                    input.name + "' of another type");
    return {};
  }

  size_t countOf(Place place) const {
    switch (place) {
    case Place::Input:
      return entry.inputs.size();
    case Place::Output:
      return entry.outputs.size();
    case Place::Weight:
      return model.numWeights;
    case Place::State:
      return model.states.size();
    case Place::Arena:
      return entry.arena.size();
    }
    return 0;
  }

  Status checkCommand(const CommandPlan &command) {
    for (const BufferRef &buffer : command.buffers)
      if (buffer.index < 0 || size_t(buffer.index) >= countOf(buffer.place) ||
          buffer.offset < 0)
        return refuse("buffer " + std::to_string(buffer.index) + " of place " +
                      std::to_string(int(buffer.place)) + " does not exist");
    for (int32_t dim : command.dims) {
      if (dim < 0)
        return refuse("a dimension has no symbol");
      K3_TRY(checkBound(dim, "the kernel"));
    }
    switch (command.kind) {
    case CommandKind::Launch:
      return checkLaunch(command);
    case CommandKind::Copy:
    case CommandKind::Fill: {
      size_t wanted = command.kind == CommandKind::Copy ? 2 : 1;
      if (command.buffers.size() != wanted)
        return refuse("a copy or fill has " +
                      std::to_string(command.buffers.size()) +
                      " buffers (wanted " + std::to_string(wanted) + ")");
      return checkExtent(command.bytes, "a copy or fill");
    }
    }
    return refuse("kind " + std::to_string(int(command.kind)) +
                  " is not known");
  }

  Status checkLaunch(const CommandPlan &command) {
    if (command.kernel < 0 || size_t(command.kernel) >= model.kernels.size())
      return refuse("kernel " + std::to_string(command.kernel) +
                    " does not exist");
    if (command.gridTile < 1 || command.gridMultiplier < 0)
      return refuse("the grid has tile " + std::to_string(command.gridTile) +
                    " and multiplier " +
                    std::to_string(command.gridMultiplier));
    return checkBound(command.gridSymbol, "the grid");
  }

  const ModelPlan &model;
  const EntryPlan &entry;
  std::vector<bool> bound;
};

Status checkState(const state::StateSpec &state) {
  auto refuse = [&](const char *what) {
    return Status::error(Code::BadInput, 430,
                         "state '" + state.name + "': " + what);
  };
  if (elementBytes(state.dtype) == 0)
    return refuse("unknown element type");
  if (state.shape.size() > K3_MAX_RANK)
    return refuse("its rank is too large");
  for (size_t i = 0; i < state.shape.size(); ++i)
    if (state.shape[i] < 0 && (i != 0 || state.shape[i] != -1))
      return refuse("only its first dimension can be the token capacity");
  return {};
}

} // namespace

Status k3::run::checkPlan(const ModelPlan &plan) {
  for (int32_t symbol : {plan.slotsSymbol, plan.capacitySymbol})
    if (symbol < -1 || symbol >= int32_t(plan.symbols.size()))
      return Status::error(Code::BadInput, 430,
                           "symbol " + std::to_string(symbol) +
                               " does not exist");
  std::set<std::string> names;
  for (const state::StateSpec &state : plan.states) {
    K3_TRY(checkState(state));
    if (!names.insert(state.name).second)
      return Status::error(Code::BadInput, 430,
                           "state '" + state.name + "' appears twice");
  }
  names.clear();
  for (const EntryPlan &entry : plan.entries) {
    if (!names.insert(entry.name).second)
      return Status::error(Code::BadInput, 430,
                           "entry '" + entry.name + "' appears twice");
    K3_TRY(EntryCheck(plan, entry).run().in("entry '" + entry.name + "'"));
  }
  return {};
}
