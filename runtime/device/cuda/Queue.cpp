// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks come from the caller's allocator, else from the device's pool in the
// order of the stream, else from cuMemAlloc.

#include "runtime/device/cuda/Queue.h"

using namespace k3;
using namespace k3::cuda;

namespace {

constexpr uint64_t blockAlignment = 256;

/// Waiting would invalidate a capture.
Status checkIdle(const Queue &queue) {
  bool capturing = false;
  K3_TRY(queue.isCapturing(capturing));
  if (!capturing)
    return {};
  return Status::error(Code::BadUsage, 917,
                       "the stream is being captured, and this call has to "
                       "wait for it");
}

} // namespace

Status Queue::create(std::shared_ptr<Device> device, const Allocator &allocator,
                     std::unique_ptr<Queue> &out) {
  std::unique_ptr<Queue> queue(new Queue(std::move(device), allocator));
  Device &target = queue->device();
  Device::Use use(target);
  K3_TRY(use.take());
  K3_TRY(
      target.check(queue->api().cuStreamCreate(&queue->own, streamNonBlocking),
                   "cuStreamCreate"));
  queue->current = queue->own;
  K3_TRY(target.check(
      queue->api().cuEventCreate(&queue->order, eventDisableTiming),
      "cuEventCreate"));
  out = std::move(queue);
  return {};
}

Queue::~Queue() {
  Device::Use use(device());
  if (!use.ok())
    return;
  if (order)
    api().cuEventDestroy_v2(order);
  if (own)
    api().cuStreamDestroy_v2(own);
}

Status Queue::use(CUstream stream) {
  if (stream == current)
    return {};
  CUstream before = current;
  bool capturing = false;
  K3_TRY(isCapturing(capturing));
  current = stream;
  bool captures = false;
  if (Status status = isCapturing(captures); !status.ok()) {
    current = before;
    return status;
  }
  if (capturing || captures)
    return {};
  K3_TRY(device().check(api().cuEventRecord(order, before), "cuEventRecord"));
  return device().check(api().cuStreamWaitEvent(current, order, 0),
                        "cuStreamWaitEvent");
}

Status Queue::isCapturing(bool &capturing) const {
  int status = captureNone;
  K3_TRY(device().check(api().cuStreamIsCapturing(current, &status),
                        "cuStreamIsCapturing"));
  capturing = status != captureNone;
  return {};
}

Status Queue::wait(const std::string &after) {
  return device().check(api().cuStreamSynchronize(current),
                        "cuStreamSynchronize",
                        "seen at synchronise, after " + after);
}

Status Queue::allocate(MemoryUse use, uint64_t bytes, const std::string &what,
                       CUdeviceptr &out) {
  out = 0;
  if (bytes == 0)
    return {};
  if (allocator.allocate) {
    out = deviceAddress(allocator.allocate(allocator.user, bytes, current));
    if (!out)
      return device().refuseMemory(bytes, what + " (the caller's allocator)");
    if (out % blockAlignment != 0) {
      allocator.release(allocator.user, reinterpret_cast<void *>(out), bytes,
                        current);
      return Status::error(Code::BadUsage, 411,
                           what + ": the caller's allocator gives memory that "
                                  "is not aligned to 256 bytes");
    }
  } else {
    bool capturing = false;
    K3_TRY(isCapturing(capturing));
    bool pool = device().hasPools() && !capturing;
    RelaxedCapture relaxed(api());
    CUresult result = pool ? api().cuMemAllocAsync(&out, bytes, current)
                           : api().cuMemAlloc_v2(&out, bytes);
    if (result == outOfMemory)
      return device().refuseMemory(bytes, what);
    K3_TRY(
        device().check(result, pool ? "cuMemAllocAsync" : "cuMemAlloc", what));
    if (pool)
      pooled.insert(out);
  }
  device().count(use, int64_t(bytes));
  return {};
}

void Queue::release(MemoryUse use, CUdeviceptr memory, uint64_t bytes) {
  if (!memory)
    return;
  device().count(use, -int64_t(bytes));
  if (allocator.allocate)
    return allocator.release(allocator.user, reinterpret_cast<void *>(memory),
                             bytes, current);
  Device::Use active(device());
  bool pool = pooled.erase(memory) != 0;
  if (!active.ok())
    return;
  // A failure here is an earlier kernel's, and the next call tells it.
  bool capturing = false;
  if (pool && isCapturing(capturing).ok() && !capturing) {
    api().cuMemFreeAsync(memory, current);
    return;
  }
  RelaxedCapture relaxed(api());
  api().cuMemFree_v2(memory);
}

Status Queue::copy(CUdeviceptr to, CUdeviceptr from, uint64_t bytes) {
  if (bytes == 0)
    return {};
  return device().check(api().cuMemcpyDtoDAsync_v2(to, from, bytes, current),
                        "cuMemcpyDtoDAsync");
}

Status Queue::fill(CUdeviceptr to, uint64_t bytes) {
  if (bytes == 0)
    return {};
  return device().check(api().cuMemsetD8Async(to, 0, bytes, current),
                        "cuMemsetD8Async");
}

Status Queue::upload(CUdeviceptr to, const void *from, uint64_t bytes) {
  if (bytes == 0)
    return {};
  return device().check(api().cuMemcpyHtoDAsync_v2(to, from, bytes, current),
                        "cuMemcpyHtoDAsync");
}

Status Queue::download(void *to, CUdeviceptr from, uint64_t bytes) {
  if (bytes == 0)
    return {};
  return device().check(api().cuMemcpyDtoHAsync_v2(to, from, bytes, current),
                        "cuMemcpyDtoHAsync");
}

Status QueueSpace::allocate(uint64_t bytes, const std::string &what,
                            void *&block) {
  CUdeviceptr memory;
  Device::Use active(queue.device());
  K3_TRY(active.take());
  K3_TRY(queue.allocate(use, bytes, what, memory));
  block = reinterpret_cast<void *>(memory);
  return {};
}

void QueueSpace::release(void *block, uint64_t bytes) {
  queue.release(use, deviceAddress(block), bytes);
}

Status QueueSpace::copy(void *to, const void *from, uint64_t bytes) {
  Device::Use active(queue.device());
  K3_TRY(active.take());
  return queue.copy(deviceAddress(to), deviceAddress(from), bytes);
}

Status QueueSpace::zero(void *to, uint64_t bytes) {
  Device::Use active(queue.device());
  K3_TRY(active.take());
  return queue.fill(deviceAddress(to), bytes);
}

Status QueueSpace::read(void *host, const void *from, uint64_t bytes) {
  Device::Use active(queue.device());
  K3_TRY(active.take());
  K3_TRY(checkIdle(queue));
  K3_TRY(queue.download(host, deviceAddress(from), bytes));
  Status status = queue.wait("reading a state");
  // The copy must not reach the host's memory later.
  if (!status.ok())
    (void)queue.wait("a failed read").ok();
  return status;
}

Status QueueSpace::write(void *to, const void *host, uint64_t bytes) {
  Device::Use active(queue.device());
  K3_TRY(active.take());
  K3_TRY(checkIdle(queue));
  K3_TRY(queue.upload(deviceAddress(to), host, bytes));
  return queue.wait("writing a state");
}
