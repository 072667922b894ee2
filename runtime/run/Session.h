// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots, threads and workspace of one user of a model; runs its entry points.

#ifndef K3_RUNTIME_RUN_SESSION_H
#define K3_RUNTIME_RUN_SESSION_H

#include "runtime/run/Arguments.h"
#include "runtime/run/Executor.h"
#include "runtime/run/Model.h"
#include "runtime/run/Sequences.h"
#include "runtime/run/StepList.h"
#include "runtime/state/SlotPool.h"

#include <atomic>
#include <map>
#include <memory>
#include <sys/types.h>

namespace k3::run {

struct SessionOptions {
  int32_t threads = 0;  // 0: one per CPU this process may use
  int64_t slots = 0;    // 0: 1
  int64_t capacity = 0; // 0: 4096
  /// A caller's stream of a CUDA device instead of one of its own.
  bool useStream = false;
  void *stream = nullptr;
};

/// Serves one call at a time: hold a `Use` around every other member.
class Session {
public:
  static Status create(std::shared_ptr<const Model> model,
                       const SessionOptions &options,
                       std::shared_ptr<Session> &out);

  /// Marks the session as in use; refuses when another thread has it or when
  /// another process made it.
  class Use {
  public:
    explicit Use(Session &session);
    ~Use();
    Use(const Use &) = delete;
    Status take() { return std::move(status); }

  private:
    Session &session;
    Status status;
    bool owner = false;
  };

  Status run(const std::string &entry, std::span<const k3_tensor> inputs,
             std::span<const k3_tensor> outputs);

  state::SlotPool &slots() { return *pool; }
  const Model &model() const { return *modelRef; }
  void setTrace(const cpu::Trace &fn) { trace = fn; }
  int threads() const { return executor->threads(); }
  /// Refuses when the session's device is lost.
  Status usable() const { return executor->usable(); }
  Status wait() { return executor->wait(); }
  Status useStream(void *stream) { return executor->useStream(stream); }
  /// Says how many tokens a slot holds, when the session could not see them.
  Status setLength(int32_t slot, int64_t tokens);
  /// The memory of the last run, for tools that count bytes.
  const Blocks &blocks() const { return call.blocks; }

private:
  /// What one call works with; kept so that its memory is reused.
  struct Call {
    Arguments arguments;
    Sequences sequences;
    std::vector<int32_t> contextLens;
    k3_tensor contextTensor;
    Blocks blocks;
  };

  explicit Session(std::shared_ptr<const Model> model)
      : modelRef(std::move(model)) {}

  Status bindArguments(const EntryPlan &entry, Symbols &symbols);
  Status bindSession(Symbols &symbols, const char *origin);
  Status readSequences(const EntryPlan &entry, const Symbols &symbols);
  Status supplyContext(const EntryPlan &entry, Symbols &symbols);
  Status layOut(const EntryPlan &entry, const Symbols &symbols);
  bool isEmpty(const EntryPlan &entry, const Symbols &symbols) const;
  Status stepsOf(const EntryPlan &entry, const Symbols &symbols,
                 StepList *&out);
  void advance();
  void damage(const EntryPlan &entry);
  int32_t tokenSymbol(const EntryPlan &entry) const;
  int64_t poolSize(const EntryPlan &entry) const;

  /// Resolved step lists of an entry, the one used last at the end.
  using Lists = std::vector<std::unique_ptr<StepList>>;

  std::shared_ptr<const Model> modelRef;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<state::SlotPool> pool; // in the executor's memory
  std::map<const EntryPlan *, Lists> stepLists;
  StepList emptySteps;
  cpu::Trace trace;
  Call call;
  pid_t process = 0;
  std::atomic<bool> busy{false};
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_SESSION_H
