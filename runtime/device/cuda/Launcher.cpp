// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters in the order of docs/ArtefactFormat.md.

#include "runtime/device/cuda/Launcher.h"

#include "runtime/base/Escape.h"

#include <algorithm>
#include <climits>
#include <ctime>

using namespace k3;
using namespace k3::cuda;
using cpu::Step;

namespace {

int64_t nowNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::string nameOf(size_t number, const Step &step) {
  return "step " + std::to_string(number) + " " + quote(step.label);
}

} // namespace

Graph::~Graph() {
  Device::Use use(*deviceRef);
  if (exec && use.ok())
    deviceRef->api().cuGraphExecDestroy(exec);
}

Status Launcher::create(const Program &program, Queue &queue,
                        std::unique_ptr<Launcher> &out) {
  std::unique_ptr<Launcher> launcher(new Launcher(program, queue));
  Device &device = queue.device();
  Device::Use use(device);
  K3_TRY(use.take());
  K3_TRY(device.check(
      device.api().cuStreamCreate(&launcher->side, streamNonBlocking),
      "cuStreamCreate"));
  out = std::move(launcher);
  return {};
}

Launcher::~Launcher() {
  Device::Use use(queue.device());
  if (side && use.ok())
    queue.device().api().cuStreamDestroy_v2(side);
}

Status Launcher::workgroupsOf(const Step &step, int64_t &out) const {
  const std::optional<Grid> &grid =
      program.launches()[size_t(step.number)].grid;
  out = step.workgroups;
  if (!grid)
    return {};
  int64_t tiles = 1;
  if (grid->dim >= 0) {
    int64_t size = step.dims[grid->dim];
    tiles = size / grid->tile + (size % grid->tile != 0);
  }
  if (__builtin_mul_overflow(tiles, grid->multiplier, &out))
    return Status::error(Code::Resources, 423,
                         "the number of workgroups overflows");
  return {};
}

Status Launcher::reserveScratch(std::span<const Step> steps, bool &grown) {
  uint64_t wanted = 0;
  grown = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != Step::Launch)
      continue;
    const KernelLaunch &launch = program.launches()[size_t(steps[i].number)];
    int64_t workgroups;
    uint64_t bytes;
    K3_TRY(workgroupsOf(steps[i], workgroups).in(nameOf(i, steps[i])));
    if (__builtin_mul_overflow(uint64_t(workgroups), launch.scratch, &bytes))
      return Status::error(Code::Resources, 423,
                           nameOf(i, steps[i]) +
                               ": the size of its scratch memory overflows");
    wanted = std::max(wanted, bytes);
  }
  uint8_t *before = scratch.data();
  K3_TRY(scratch.reserve(wanted, "scratch memory"));
  grown = scratch.data() != before;
  return {};
}

Status Launcher::geometry(const Step &step, LaunchConfig &config) const {
  const KernelLaunch &launch = program.launches()[size_t(step.number)];
  int64_t workgroups;
  K3_TRY(workgroupsOf(step, workgroups));
  int64_t per = launch.workgroupsPerBlock;
  int64_t blocks = workgroups / per + (workgroups % per != 0);
  int64_t cluster = launch.cluster;
  // The ceiling cannot wrap: a cluster has at most 16 blocks.
  int64_t clusters = blocks / cluster + (blocks % cluster != 0);
  if (clusters > INT_MAX / cluster)
    return Status::error(Code::Resources, 423,
                         "it needs " + std::to_string(blocks) +
                             " blocks (at most 2^31 - 1)");
  config = {};
  config.gridX = unsigned(clusters * cluster);
  config.gridY = config.gridZ = 1;
  config.blockX = launch.threads;
  config.blockY = config.blockZ = 1;
  config.sharedBytes = launch.shared;
  return {};
}

Status Launcher::launch(const Step &step, CUstream stream) {
  const KernelLaunch &kernel = program.launches()[size_t(step.number)];
  LaunchConfig config;
  K3_TRY(geometry(step, config));
  if (config.gridX == 0)
    return {};
  int64_t workgroups;
  K3_TRY(workgroupsOf(step, workgroups));
  CUdeviceptr scratchAt = deviceAddress(scratch.data());
  std::vector<void *> parameters;
  parameters.reserve(step.numBuffers + step.numDims + 2);
  for (uint32_t i = 0; i < step.numBuffers; ++i)
    parameters.push_back(const_cast<void **>(step.buffers + i));
  for (uint32_t i = 0; i < step.numDims; ++i)
    parameters.push_back(const_cast<int64_t *>(step.dims + i));
  parameters.push_back(&workgroups);
  if (kernel.scratch)
    parameters.push_back(&scratchAt);
  config.stream = stream;
  LaunchAttribute cluster = {};
  const Api &api = queue.device().api();
  CUresult result;
  if (kernel.cluster > 1) {
    cluster.id = attributeCluster;
    cluster.value.cluster = {kernel.cluster, 1, 1};
    config.attributes = &cluster;
    config.numAttributes = 1;
    result = api.cuLaunchKernelEx(&config, kernel.function, parameters.data(),
                                  nullptr);
  } else {
    result = api.cuLaunchKernel(kernel.function, config.gridX, 1, 1,
                                config.blockX, 1, 1, config.sharedBytes, stream,
                                parameters.data(), nullptr);
  }
  if (result == success)
    return {};
  return queue.device().check(
      result, "cuLaunchKernel",
      "kernel " + quote(kernel.symbol) + ", " + std::to_string(config.gridX) +
          " x " + std::to_string(config.blockX) + " threads, " +
          std::to_string(config.sharedBytes) + " B shared");
}

Status Launcher::enqueue(const Step &step, CUstream stream) {
  const Api &api = queue.device().api();
  auto bytes = size_t(step.bytes);
  switch (step.kind) {
  case Step::Launch:
    return launch(step, stream);
  case Step::Copy:
    if (bytes == 0)
      return {};
    return queue.device().check(
        api.cuMemcpyDtoDAsync_v2(deviceAddress(step.buffers[1]),
                                 deviceAddress(step.buffers[0]), bytes, stream),
        "cuMemcpyDtoDAsync");
  case Step::Fill:
    if (bytes == 0)
      return {};
    return queue.device().check(
        api.cuMemsetD8Async(deviceAddress(step.buffers[0]), 0, bytes, stream),
        "cuMemsetD8Async");
  }
  return {};
}

Status Launcher::run(std::span<const Step> steps, bool sync,
                     const cpu::Trace &trace, bool &begun) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    int64_t start = trace.fn ? nowNs() : 0;
    K3_TRY(enqueue(step, queue.stream()).in(nameOf(i, step)));
    begun = true;
    if (sync || trace.fn)
      K3_TRY(queue.wait(nameOf(i, step)));
    if (trace.fn)
      trace.fn(trace.user, step.label, start, nowNs(), step.workgroups);
  }
  return {};
}

Status Launcher::capture(std::span<const Step> steps,
                         std::unique_ptr<Graph> &out) {
  Device &device = queue.device();
  const Api &api = device.api();
  K3_TRY(device.check(api.cuStreamBeginCapture_v2(side, captureThreadLocal),
                      "cuStreamBeginCapture"));
  Status status;
  for (size_t i = 0; i < steps.size() && status.ok(); ++i)
    status = enqueue(steps[i], side).in(nameOf(i, steps[i]));
  // Ended in any case: the stream must not stay in capture.
  CUgraph graph = nullptr;
  CUresult result = api.cuStreamEndCapture(side, &graph);
  if (status.ok())
    status = device.check(result, "cuStreamEndCapture");
  auto made = std::make_unique<Graph>(queue.sharedDevice());
  if (status.ok())
    status =
        device.check(api.cuGraphInstantiateWithFlags(&made->exec, graph, 0),
                     "cuGraphInstantiate");
  if (graph)
    api.cuGraphDestroy(graph);
  K3_TRY(std::move(status));
  out = std::move(made);
  return {};
}

Status Launcher::replay(const Graph &graph) {
  return queue.device().check(
      queue.device().api().cuGraphLaunch(graph.exec, queue.stream()),
      "cuGraphLaunch");
}
