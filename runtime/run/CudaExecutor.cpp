// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small host inputs travel together through pinned memory; large ones go by
// themselves, and the call waits for them because the caller may change them
// as soon as it returns.

#include "runtime/run/CudaExecutor.h"

#include <cstdlib>
#include <cstring>

using namespace k3;
using namespace k3::run;

namespace {

constexpr uint64_t copyAlignment = 256;
/// Up to this many bytes a host input goes through pinned memory.
constexpr uint64_t largestStaged = 1 << 20;

/// What is kept with a step list.
struct Prepared {
  std::unique_ptr<cuda::Graph> graph;
  uint64_t runs = 0, scratchEpoch = 0;
};

bool wantsSync() {
  const char *text = std::getenv("K3_SYNC");
  return text && std::strcmp(text, "1") == 0;
}

} // namespace

CudaExecutor::CudaExecutor(std::unique_ptr<cuda::Queue> made)
    : queue(std::move(made)), stateSpace(*queue, cuda::MemoryUse::States),
      inputs(*queue, cuda::MemoryUse::Workspace),
      outputs(*queue, cuda::MemoryUse::Workspace),
      arena(*queue, cuda::MemoryUse::Workspace), staging(*queue),
      sync(wantsSync()) {}

Status CudaExecutor::create(const GpuModel &model,
                            std::unique_ptr<Executor> &out) {
  std::unique_ptr<cuda::Queue> queue;
  K3_TRY(cuda::Queue::create(model.program().sharedDevice(), model.allocator(),
                             queue));
  std::unique_ptr<CudaExecutor> executor(new CudaExecutor(std::move(queue)));
  K3_TRY(cuda::Launcher::create(model.program(), *executor->queue,
                                executor->launcher));
  out = std::move(executor);
  return {};
}

/// Memory must not go while kernels use it.
CudaExecutor::~CudaExecutor() {
  cuda::Device::Use use(queue->device());
  bool captured = false;
  if (use.ok() && queue->isCapturing(captured).ok() && !captured)
    (void)queue->wait("the end of the session").ok();
}

Status CudaExecutor::checkPointer(const TensorSpec &spec,
                                  const k3_tensor &tensor) {
  auto refuse = [&](const std::string &what) {
    return Status::error(Code::BadInput, 916,
                         "argument '" + spec.name + "': " + what +
                             ", the model is on " + queue->device().name());
  };
  if (tensor.memory != K3_DEVICE)
    return refuse("memory kind " + std::to_string(int(tensor.memory)) +
                  " is unknown");
  const cuda::Api &api = queue->device().api();
  unsigned type = 0;
  int ordinal = -1;
  cuda::CUdeviceptr at = cuda::deviceAddress(tensor.data);
  cuda::CUresult result =
      api.cuPointerGetAttribute(&type, cuda::pointerMemoryType, at);
  if (result == cuda::success)
    result =
        api.cuPointerGetAttribute(&ordinal, cuda::pointerDeviceOrdinal, at);
  if (result == cuda::invalidValue ||
      (result == cuda::success && type != cuda::memoryTypeDevice))
    return refuse("data is not device memory");
  K3_TRY(queue->device().check(result, "cuPointerGetAttribute"));
  if (ordinal != queue->device().ordinal())
    return refuse("data is on cuda:" + std::to_string(ordinal));
  return {};
}

/// Device tensors become blocks, host tensors places in a block to come.
template <class Specs>
Status CudaExecutor::sort(const Specs &specs,
                          const std::vector<const k3_tensor *> &tensors,
                          std::vector<Block> &blocks, std::vector<Copy> &copies,
                          uint64_t &total) {
  blocks.clear();
  copies.clear();
  total = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const k3_tensor &tensor = *tensors[i];
    int64_t bytes = 0;
    tensorBytes(tensor, bytes);
    bool isHost = tensor.memory == K3_HOST;
    if (!isHost && bytes > 0)
      K3_TRY(checkPointer(specs[i], tensor));
    blocks.push_back({isHost ? nullptr : tensor.data, bytes});
    copies.push_back({});
    if (!isHost)
      continue;
    copies.back() = {tensor.data, total, uint64_t(bytes)};
    total = (total + uint64_t(bytes) + copyAlignment - 1) / copyAlignment *
            copyAlignment;
  }
  return {};
}

Status CudaExecutor::place(const EntryPlan &entry, const Arguments &arguments,
                           Blocks &blocks) {
  cuda::Device::Use use(queue->device());
  K3_TRY(use.take());
  K3_TRY(queue->isCapturing(capturing));
  std::vector<Block> &in = blocks.of(Place::Input);
  std::vector<Block> &out = blocks.of(Place::Output);
  uint64_t outputBytes;
  K3_TRY(sort(entry.inputs, arguments.inputs, in, inputCopies, inputBytes));
  K3_TRY(
      sort(entry.outputs, arguments.outputs, out, outputCopies, outputBytes));
  bool isLarge = inputBytes > largestStaged;
  if (capturing && (outputBytes > 0 || isLarge))
    return Status::error(
        Code::BadUsage, 917,
        "the stream is being captured, which allows no host outputs and at "
        "most 1 MiB of host inputs",
        "use device memory");
  K3_TRY(inputs.reserve(inputBytes, "copies of inputs"));
  K3_TRY(outputs.reserve(outputBytes, "copies of outputs"));
  auto fill = [](std::vector<Block> &list, const std::vector<Copy> &copies,
                 const std::vector<const k3_tensor *> &tensors, uint8_t *base) {
    for (size_t i = 0; i < list.size(); ++i)
      if (tensors[i]->memory == K3_HOST)
        list[i].data = base + copies[i].offset;
  };
  fill(in, inputCopies, arguments.inputs, inputs.data());
  fill(out, outputCopies, arguments.outputs, outputs.data());
  return {};
}

Status CudaExecutor::workspace(uint64_t bytes, const std::string &what,
                               uint8_t *&out) {
  cuda::Device::Use use(queue->device());
  K3_TRY(use.take());
  K3_TRY(arena.reserve(bytes, what));
  out = arena.data();
  return {};
}

Status CudaExecutor::sendInputs() {
  if (inputBytes == 0)
    return {};
  cuda::CUdeviceptr base = cuda::deviceAddress(inputs.data());
  if (inputBytes > largestStaged) {
    for (const Copy &copy : inputCopies)
      K3_TRY(queue->upload(base + copy.offset, copy.host, copy.bytes));
    return {};
  }
  uint8_t *page;
  K3_TRY(staging.take(inputBytes, page));
  for (const Copy &copy : inputCopies)
    if (copy.bytes)
      std::memcpy(page + copy.offset, copy.host, copy.bytes);
  return staging.send(base, inputBytes);
}

Status CudaExecutor::enqueue(StepList &steps, const cpu::Trace &trace,
                             Progress &progress) {
  if (!steps.prepared)
    steps.prepared = std::make_shared<Prepared>();
  auto &prepared = *static_cast<Prepared *>(steps.prepared.get());
  // The first run of a list may be its only one.
  bool asGraph = !sync && !trace.fn && !capturing && steps.steps().size() > 1 &&
                 prepared.runs++ > 0;
  if (!asGraph)
    return launcher->run(steps.steps(), sync && !capturing,
                         capturing ? cpu::Trace() : trace, progress.begun);
  if (!prepared.graph || prepared.scratchEpoch != scratchEpoch) {
    prepared.graph.reset();
    K3_TRY(launcher->capture(steps.steps(), prepared.graph));
    prepared.scratchEpoch = scratchEpoch;
  }
  K3_TRY(launcher->replay(*prepared.graph));
  progress.begun = true;
  return {};
}

/// Waits where the caller's memory is involved, and only there.
Status CudaExecutor::fetchOutputs(StepList &steps) {
  bool mustWait = inputBytes > largestStaged;
  cuda::CUdeviceptr base = cuda::deviceAddress(outputs.data());
  for (const Copy &copy : outputCopies) {
    K3_TRY(queue->download(copy.host, base + copy.offset, copy.bytes));
    mustWait |= copy.bytes > 0;
  }
  if (!mustWait || capturing)
    return {};
  return queue->wait(steps.lastName());
}

Status CudaExecutor::run(StepList &steps, const cpu::Trace &trace,
                         Progress &progress) {
  cuda::Device::Use use(queue->device());
  K3_TRY(use.take());
  bool grown;
  K3_TRY(launcher->reserveScratch(steps.steps(), grown));
  scratchEpoch += grown;
  K3_TRY(sendInputs());
  progress.captured = capturing;
  K3_TRY(enqueue(steps, trace, progress));
  Status status = fetchOutputs(steps);
  // Copies that are under way must not reach the caller's memory later.
  if (!status.ok() && !capturing)
    (void)queue->wait("a failed run").ok();
  return status;
}

Status CudaExecutor::wait() {
  cuda::Device::Use use(queue->device());
  K3_TRY(use.take());
  bool captured = false;
  K3_TRY(queue->isCapturing(captured));
  if (captured)
    return Status::error(Code::BadUsage, 917,
                         "the stream is being captured, and this call has to "
                         "wait for it");
  return queue->wait("the last run");
}

Status CudaExecutor::useStream(void *stream) {
  cuda::Device::Use use(queue->device());
  K3_TRY(use.take());
  return queue->use(static_cast<cuda::CUstream>(stream));
}
