// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation, exclusive use, and the order of a run: check everything, lay out
// memory, execute, advance.

#include "runtime/run/Session.h"

#include "runtime/run/CpuExecutor.h"
#include "runtime/run/CudaExecutor.h"

#include <algorithm>
#include <climits>
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

Status makeExecutor(const Model &model, const SessionOptions &options,
                    std::unique_ptr<Executor> &out) {
  if (model.gpu())
    return CudaExecutor::create(*model.gpu(), out);
  int threads = options.threads ? options.threads : cpu::allowedCpus();
  return CpuExecutor::create(threads, model.scratchBytes(), out);
}

} // namespace

Status Session::create(std::shared_ptr<const Model> model,
                       const SessionOptions &options,
                       std::shared_ptr<Session> &out) {
  K3_TRY(checkOption("threads", options.threads, maxThreads));
  K3_TRY(checkOption("slots", options.slots, INT32_MAX));
  K3_TRY(checkOption("capacity", options.capacity, INT32_MAX));
  std::shared_ptr<Session> session(new Session(std::move(model)));
  const Model &source = *session->modelRef;
  K3_TRY(makeExecutor(source, options, session->executor));
  if (options.useStream)
    K3_TRY(session->executor->useStream(options.stream));
  K3_TRY(state::SlotPool::create(source.plan().states,
                                 options.slots ? options.slots : 1,
                                 options.capacity ? options.capacity : 4096,
                                 session->pool, session->executor->states()));
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
  K3_TRY(executor->place(*entry, call.arguments, call.blocks).in(name));
  StepList *steps = &emptySteps;
  if (isEmpty(*entry, symbols)) {
    emptySteps.resolveEmpty(*entry, call.blocks);
  } else {
    K3_TRY(layOut(*entry, symbols).in(name));
    K3_TRY(stepsOf(*entry, symbols, steps).in(name));
  }
  Progress progress;
  if (Status status = executor->run(*steps, trace, progress); !status.ok()) {
    if (progress.begun && steps != &emptySteps)
      damage(*entry);
    return std::move(status).in(name);
  }
  if (!progress.captured)
    advance();
  return {};
}

/// No token, or no sequence: then nothing happens.
bool Session::isEmpty(const EntryPlan &entry, const Symbols &symbols) const {
  int cuts = entry.findRole(Role::CuSeqlens);
  int slots = entry.findRole(Role::Slots);
  if (cuts < 0 && slots < 0)
    return false;
  int64_t sequences = slots >= 0 ? call.arguments.inputs[slots]->shape[0]
                                 : call.arguments.inputs[cuts]->shape[0] - 1;
  int32_t symbol = tokenSymbol(entry);
  return sequences == 0 || (symbol >= 0 && symbols.get(symbol) == 0);
}

/// The step list of this call: one that was resolved before, or a new one in
/// the place of the one not used for longest.
Status Session::stepsOf(const EntryPlan &entry, const Symbols &symbols,
                        StepList *&out) {
  constexpr size_t mostLists = 8;
  Lists &lists = stepLists[&entry];
  auto found = std::find_if(lists.begin(), lists.end(), [&](auto &list) {
    return list->matches(symbols, call.blocks);
  });
  bool known = found != lists.end();
  if (!known && lists.size() < mostLists) {
    lists.push_back(std::make_unique<StepList>());
    found = lists.end() - 1;
  } else if (!known) {
    found = lists.begin();
  }
  std::rotate(found, found + 1, lists.end());
  out = lists.back().get();
  if (known)
    return {};
  return out->resolve(entry, modelRef->kernels(), symbols, call.blocks);
}

/// After a failure in the middle of a run: its slots, or all if the session
/// could not see them, are neither as before nor as after.
void Session::damage(const EntryPlan &entry) {
  if (modelRef->plan().states.empty() || entry.findRole(Role::Slots) < 0)
    return;
  if (!call.sequences.hasSlots)
    for (int64_t slot = 0; slot < pool->slots(); ++slot)
      pool->damage(int32_t(slot));
  for (int32_t slot : call.sequences.slots)
    if (slot >= 0)
      pool->damage(slot);
}

Status Session::setLength(int32_t slot, int64_t tokens) {
  K3_TRY(pool->checkWhole(slot));
  if (tokens < 0 || tokens > pool->capacity())
    return Status::error(Code::BadInput, 417,
                         "slot " + std::to_string(slot) + " cannot hold " +
                             std::to_string(tokens) + " tokens (wanted 0 to " +
                             std::to_string(pool->capacity()) + ")");
  pool->setLength(slot, tokens);
  return {};
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
