// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the commands of an entry point refer to exists.

#include "runtime/format/EntryCheck.h"

#include "runtime/base/Escape.h"

#include <set>

using namespace k3;
using namespace k3::artefact;

namespace {

template <class List> size_t sizeOf(const List *list) {
  return list ? list->size() : 0;
}

std::string number(int64_t value) { return std::to_string(value); }

class EntryCheck {
public:
  EntryCheck(IndexWork &work, const Index &index, const Entry &entry)
      : work(work), index(index), entry(entry) {}

  Status run() {
    K3_TRY(checkInputs());
    std::set<std::string_view> names;
    for (size_t i = 0; i < sizeOf(entry.outputs()); ++i)
      K3_TRY(checkTensor(*entry.outputs()->Get(unsigned(i)),
                         numbered("output", i), names));
    K3_TRY(checkAligned(entry.arena(), "workspace"));
    K3_TRY(work.pay(sizeOf(entry.arena())));
    for (size_t i = 0; i < sizeOf(entry.arena()); ++i)
      K3_TRY(checkExtent(*entry.arena()->Get(unsigned(i)),
                         numbered("workspace block", i)));
    K3_TRY(work.pay(sizeOf(entry.updates())));
    for (size_t i = 0; i < sizeOf(entry.updates()); ++i) {
      const Update *update = entry.updates()->Get(unsigned(i));
      if (!inRange(update->output(), sizeOf(entry.outputs())) ||
          !inRange(update->input(), sizeOf(entry.inputs())))
        return refuseIndex(numbered("update", i) + " names output " +
                           number(update->output()) + " and input " +
                           number(update->input()));
    }
    for (size_t i = 0; i < sizeOf(entry.commands()); ++i)
      K3_TRY(checkCommand(*entry.commands()->Get(unsigned(i)))
                 .in(numbered("command", i)));
    return {};
  }

private:
  static bool inRange(int64_t at, size_t count) {
    return at >= 0 && uint64_t(at) < count;
  }
  bool isSymbol(int64_t symbol) const {
    return inRange(symbol, sizeOf(index.symbols()));
  }

  Status checkInputs() {
    std::set<std::string_view> names;
    std::set<Role> roles;
    for (size_t i = 0; i < sizeOf(entry.inputs()); ++i) {
      const Argument *argument = entry.inputs()->Get(unsigned(i));
      std::string what = numbered("input", i);
      K3_TRY(checkTensor(*argument->tensor(), what, names));
      if (argument->role() > Role::MAX)
        return refuseIndex(what + " has the unknown role " +
                           number(int64_t(argument->role())));
      if (argument->role() != Role::Plain &&
          !roles.insert(argument->role()).second)
        return refuseIndex(what + " has the role of another input");
    }
    return {};
  }

  Status checkTensor(const Tensor &tensor, const std::string &what,
                     std::set<std::string_view> &names) {
    K3_TRY(checkName(work, tensor.name(), what + ": name"));
    std::string_view name(tensor.name()->data(), tensor.name()->size());
    if (!names.insert(name).second)
      return refuseIndex(what + ": name " + quote(name) + " appears twice");
    if (tensor.dtype() > DType::MAX)
      return refuseIndex(what + " has the unknown element type " +
                         number(int64_t(tensor.dtype())));
    if (sizeOf(tensor.dims()) > mostRank)
      return refuseIndex(what + " has rank " +
                         number(int64_t(sizeOf(tensor.dims()))) + " (at most " +
                         number(mostRank) + ")");
    K3_TRY(checkAligned(tensor.dims(), what));
    for (size_t i = 0; i < sizeOf(tensor.dims()); ++i) {
      const Dim *dim = tensor.dims()->Get(unsigned(i));
      if (dim->symbol() >= 0 && !isSymbol(dim->symbol()))
        return refuseIndex(what + " uses symbol " + number(dim->symbol()) +
                           " of " + number(int64_t(sizeOf(index.symbols()))));
      if (dim->symbol() < 0 && dim->size() < 0)
        return refuseIndex(what + " has a dimension of " + number(dim->size()));
    }
    return {};
  }

  Status checkExtent(const Extent &extent, const std::string &what) const {
    if (extent.scale() < 0 || extent.bytes() < 0)
      return refuseIndex(what + " has a negative size");
    if (extent.symbol() >= 0 && !isSymbol(extent.symbol()))
      return refuseIndex(what + " uses symbol " + number(extent.symbol()) +
                         " of " + number(int64_t(sizeOf(index.symbols()))));
    return {};
  }

  size_t countOf(Place place) const {
    switch (place) {
    case Place::Input:
      return sizeOf(entry.inputs());
    case Place::Output:
      return sizeOf(entry.outputs());
    case Place::Weight:
      return sizeOf(index.weights());
    case Place::State:
      return sizeOf(index.states());
    case Place::Arena:
      return sizeOf(entry.arena());
    }
    return 0;
  }

  Status checkBuffers(const Command &command) {
    size_t count = sizeOf(command.buffers());
    K3_TRY(checkAligned(command.buffers(), "list of buffers"));
    K3_TRY(work.pay(count));
    for (size_t i = 0; i < count; ++i) {
      const Buffer *buffer = command.buffers()->Get(unsigned(i));
      if (!inRange(buffer->index(), countOf(buffer->place())))
        return refuseIndex(numbered("buffer", i) + " is number " +
                           number(buffer->index()) + " of place " +
                           number(int64_t(buffer->place())) +
                           ", which does not exist");
      if (buffer->offset() < 0)
        return refuseIndex(numbered("buffer", i) + " has the offset " +
                           number(buffer->offset()));
    }
    return {};
  }

  Status checkCommand(const Command &command) {
    K3_TRY(checkText(work, command.label(), "label"));
    K3_TRY(checkBuffers(command));
    K3_TRY(work.pay(sizeOf(command.dims())));
    for (size_t i = 0; i < sizeOf(command.dims()); ++i)
      if (!isSymbol(command.dims()->Get(unsigned(i))))
        return refuseIndex(numbered("dimension", i) + " is symbol " +
                           number(command.dims()->Get(unsigned(i))) + " of " +
                           number(int64_t(sizeOf(index.symbols()))));
    switch (command.kind()) {
    case CommandKind::Launch:
      return checkLaunch(command);
    case CommandKind::Copy:
      return checkMove(command, "copy", 2);
    case CommandKind::Fill:
      return checkMove(command, "fill", 1);
    }
    return refuseIndex("kind " + number(int64_t(command.kind())) +
                       " is unknown");
  }

  Status checkMove(const Command &command, const char *what, size_t wanted) {
    if (sizeOf(command.buffers()) != wanted)
      return refuseIndex(std::string(what) + " has " +
                         number(int64_t(sizeOf(command.buffers()))) +
                         " buffers (wanted " + number(int64_t(wanted)) + ")");
    if (!command.bytes())
      return refuseIndex(std::string(what) + " has no size");
    return checkExtent(*command.bytes(), what);
  }

  Status checkLaunch(const Command &command) {
    constexpr int64_t mostMultiplier = int64_t(1) << 31;
    if (!inRange(command.kernel(), sizeOf(index.kernels())))
      return refuseIndex("kernel " + number(command.kernel()) + " of " +
                         number(int64_t(sizeOf(index.kernels()))) +
                         " does not exist");
    std::string kernel =
        "kernel " +
        quote(
            index.kernels()->Get(unsigned(command.kernel()))->symbol()->str());
    if (command.grid_tile() < 1)
      return refuseIndex(kernel + ": grid tile is " +
                         number(command.grid_tile()) + " (wanted at least 1)");
    if (command.grid_multiplier() < 1 ||
        command.grid_multiplier() > mostMultiplier)
      return refuseIndex(kernel + ": grid multiplier is " +
                         number(command.grid_multiplier()) +
                         " (wanted 1 to 2^31)");
    if (command.grid_symbol() >= 0 && !isSymbol(command.grid_symbol()))
      return refuseIndex(kernel + ": grid uses symbol " +
                         number(command.grid_symbol()) + " of " +
                         number(int64_t(sizeOf(index.symbols()))));
    return {};
  }

  IndexWork &work;
  const Index &index;
  const Entry &entry;
};

} // namespace

Status k3::checkEntry(IndexWork &work, const Index &index, const Entry &entry) {
  return EntryCheck(work, index, entry).run();
}
