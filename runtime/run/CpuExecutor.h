// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs steps on the threads of a team.

#ifndef K3_RUNTIME_RUN_CPUEXECUTOR_H
#define K3_RUNTIME_RUN_CPUEXECUTOR_H

#include "runtime/run/Executor.h"

namespace k3::run {

class CpuExecutor final : public Executor {
public:
  static Status create(int threads, uint64_t scratchBytes,
                       std::unique_ptr<Executor> &out);

  Status usable() const override { return {}; }
  MemorySpace &states() override;
  Status place(const EntryPlan &entry, const Arguments &arguments,
               Blocks &blocks) override;
  Status workspace(uint64_t bytes, const std::string &what,
                   uint8_t *&out) override;
  Status run(StepList &steps, const cpu::Trace &trace,
             Progress &progress) override;
  Status wait() override { return {}; }
  Status useStream(void *stream) override;
  int threads() const override { return team->size(); }

private:
  std::unique_ptr<cpu::Team> team;
  cpu::Memory arena;
  uint64_t planned = 0; // the serial number of a step list
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_CPUEXECUTOR_H
