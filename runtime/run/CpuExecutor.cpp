// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caller's memory is the kernels' memory.

#include "runtime/run/CpuExecutor.h"

#include "runtime/device/cpu/HostSpace.h"

using namespace k3;
using namespace k3::run;

Status CpuExecutor::create(int threads, uint64_t scratchBytes,
                           std::unique_ptr<Executor> &out) {
  auto executor = std::make_unique<CpuExecutor>();
  K3_TRY(cpu::Team::create(threads, scratchBytes, executor->team));
  out = std::move(executor);
  return {};
}

MemorySpace &CpuExecutor::states() { return cpu::hostSpace(); }

Status CpuExecutor::place(const EntryPlan &entry, const Arguments &arguments,
                          Blocks &blocks) {
  auto list = [&](const auto &specs,
                  const std::vector<const k3_tensor *> &tensors,
                  std::vector<Block> &out) -> Status {
    out.clear();
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i]->memory != K3_HOST)
        return Status::error(Code::BadInput, 916,
                             "argument '" + specs[i].name +
                                 "' is in device memory, but the model is on "
                                 "the CPU");
      int64_t bytes = 0;
      tensorBytes(*tensors[i], bytes);
      out.push_back({tensors[i]->data, bytes});
    }
    return {};
  };
  K3_TRY(list(entry.inputs, arguments.inputs, blocks.of(Place::Input)));
  return list(entry.outputs, arguments.outputs, blocks.of(Place::Output));
}

Status CpuExecutor::workspace(uint64_t bytes, const std::string &what,
                              uint8_t *&out) {
  K3_TRY(arena.reserve(bytes, what));
  out = arena.data();
  return {};
}

Status CpuExecutor::run(StepList &steps, const cpu::Trace &trace,
                        Progress &progress) {
  if (planned != steps.serial())
    team->plan(steps.steps());
  planned = steps.serial();
  progress.begun = true;
  team->run(trace);
  return {};
}

Status CpuExecutor::useStream(void *) {
  return Status::error(Code::BadUsage, 918,
                       "streams are of CUDA devices; the model is on the CPU");
}
