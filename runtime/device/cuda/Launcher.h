// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs resolved commands on a queue: one by one, or as a graph.

#ifndef K3_RUNTIME_DEVICE_CUDA_LAUNCHER_H
#define K3_RUNTIME_DEVICE_CUDA_LAUNCHER_H

#include "runtime/device/cpu/Kernel.h"
#include "runtime/device/cpu/Team.h"
#include "runtime/device/cuda/GrowingBlock.h"
#include "runtime/device/cuda/Program.h"
#include "runtime/device/cuda/Queue.h"

#include <span>

namespace k3::cuda {

/// An instantiated graph of one list of steps.
class Graph {
public:
  explicit Graph(std::shared_ptr<Device> device)
      : deviceRef(std::move(device)) {}
  ~Graph();
  Graph(const Graph &) = delete;

private:
  friend class Launcher;
  std::shared_ptr<Device> deviceRef;
  CUgraphExec exec = nullptr;
};

class Launcher {
public:
  static Status create(const Program &program, Queue &queue,
                       std::unique_ptr<Launcher> &out);
  ~Launcher();
  Launcher(const Launcher &) = delete;

  /// Makes the shared scratch memory large enough for the steps. `grown` says
  /// that it moved, so that graphs made before are of no use.
  Status reserveScratch(std::span<const cpu::Step> steps, bool &grown);

  /// Enqueues all steps. `begun` tells whether any of them may have run when
  /// this fails. With `sync`, or a trace, waits after each.
  Status run(std::span<const cpu::Step> steps, bool sync,
             const cpu::Trace &trace, bool &begun);

  /// Captures the steps, on a stream of the launcher's own.
  Status capture(std::span<const cpu::Step> steps, std::unique_ptr<Graph> &out);
  Status replay(const Graph &graph);

private:
  Launcher(const Program &program, Queue &queue)
      : program(program), queue(queue), scratch(queue, MemoryUse::Workspace) {}

  Status workgroupsOf(const cpu::Step &step, int64_t &out) const;
  Status enqueue(const cpu::Step &step, CUstream stream);
  Status launch(const cpu::Step &step, CUstream stream);
  Status geometry(const cpu::Step &step, LaunchConfig &config) const;

  const Program &program;
  Queue &queue;
  CUstream side = nullptr;
  GrowingBlock scratch;
};

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_LAUNCHER_H
