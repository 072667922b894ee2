// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation, exclusive use, and the order of a run: check everything, lay out
// memory, execute, advance.

#include "runtime/run/Session.h"

#include <climits>
#include <cstring>
#include <unistd.h>

using namespace k3;
using namespace k3::run;

namespace {

constexpr int maxThreads = 1024;

Status checkOption(const char *name, int64_t value, int64_t most) {
  if (value >= 0 && value <= most)
    return {};
  return Status::error(Code::BadUsage, 431,
                       std::string("session option '") + name + "' is " +
                           std::to_string(value) + " (wanted 0 to " +
                           std::to_string(most) + ")");
}

} // namespace

Status Session::create(std::shared_ptr<const Model> model,
                       const SessionOptions &options,
                       std::shared_ptr<Session> &out) {
  K3_TRY(checkOption("threads", options.threads, maxThreads));
  K3_TRY(checkOption("slots", options.slots, INT32_MAX));
  K3_TRY(checkOption("capacity", options.capacity, INT32_MAX));
  int threads = options.threads ? options.threads : cpu::allowedCpus();
  std::shared_ptr<Session> session(new Session(std::move(model)));
  const Model &source = *session->modelRef;
  K3_TRY(state::SlotPool::create(
      source.plan().states, options.slots ? options.slots : 1,
      options.capacity ? options.capacity : 4096, session->pool));
  K3_TRY(cpu::Team::create(threads, source.scratchBytes(), session->team));
  session->call.blocks.of(Place::Weight) = source.weights();
  session->process = getpid();
  out = std::move(session);
  return {};
}

Session::Use::Use(Session &session) : session(session) {
  if (session.process != getpid()) {
    status = Status::error(Code::BadUsage, 419,
                           "the session was created in another process",
                           "load the model after the fork");
    return;
  }
  owner = !session.busy.exchange(true, std::memory_order_acquire);
  if (!owner)
    status = Status::error(Code::Busy, 418,
                           "the session is in use by another thread");
}

Session::Use::~Use() {
  if (owner)
    session.busy.store(false, std::memory_order_release);
}

Status Session::run(const std::string &name, std::span<const k3_tensor> inputs,
                    std::span<const k3_tensor> outputs) {
  const EntryPlan *entry;
  K3_TRY(modelRef->findEntry(name, entry));
  bool hasStates = !modelRef->plan().states.empty();
  int optional = hasStates ? entry->findRole(Role::ContextLens) : -1;
  K3_TRY(matchInputs(*entry, inputs, optional, call.arguments.inputs).in(name));
  K3_TRY(matchOutputs(*entry, outputs, call.arguments.outputs).in(name));

  Symbols symbols(modelRef->plan().symbols);
  K3_TRY(bindArguments(*entry, symbols).in(name));
  K3_TRY(checkOverlaps(*entry, call.arguments).in(name));
  K3_TRY(readSequences(*entry, symbols).in(name));
  bool sequenced = call.sequences.hasCuSeqlens || call.sequences.hasSlots;
  if (sequenced &&
      (call.sequences.tokens == 0 || call.sequences.count() == 0)) {
    finishEmpty(*entry);
    return {};
  }
  K3_TRY(layOut(*entry, symbols).in(name));
  StepList &steps = stepLists[entry];
  bool changed;
  K3_TRY(
      steps.resolve(*entry, modelRef->kernels(), symbols, call.blocks, changed)
          .in(name));
  if (changed || planned != &steps)
    team->plan(steps.steps());
  planned = &steps;
  team->run(trace);
  advance();
  return {};
}

/// Without tokens nothing happens: updated outputs equal their inputs, other
/// outputs are zero.
void Session::finishEmpty(const EntryPlan &entry) {
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    const k3_tensor &output = *call.arguments.outputs[i];
    int64_t bytes = 0;
    tensorBytes(output, bytes);
    const k3_tensor *source = nullptr;
    for (const Update &update : entry.updates)
      if (size_t(update.output) == i)
        source = call.arguments.inputs[update.input];
    if (bytes == 0 || (source && source->data == output.data))
      continue;
    if (source)
      std::memcpy(output.data, source->data, bytes);
    else
      std::memset(output.data, 0, bytes);
  }
}

void Session::advance() {
  if (modelRef->plan().states.empty() || !call.sequences.hasSlots)
    return;
  const Sequences &sequences = call.sequences;
  for (int64_t n = 0; n < sequences.count(); ++n) {
    if (sequences.slots[n] < 0)
      continue;
    int64_t before = pool->length(sequences.slots[n]);
    if (sequences.hasContextLens)
      before = sequences.contextLens[n];
    pool->setLength(sequences.slots[n], before + sequences.length(n));
  }
}
