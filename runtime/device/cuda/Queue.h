// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream, the memory that is taken and copied in its order, and what it may
// do while a caller captures it into a graph.

#ifndef K3_RUNTIME_DEVICE_CUDA_QUEUE_H
#define K3_RUNTIME_DEVICE_CUDA_QUEUE_H

#include "runtime/device/MemorySpace.h"
#include "runtime/device/cuda/Device.h"

#include <set>

namespace k3::cuda {

/// A caller's allocator; both functions or neither.
struct Allocator {
  void *(*allocate)(void *user, size_t bytes, void *stream) = nullptr;
  void (*release)(void *user, void *memory, size_t bytes,
                  void *stream) = nullptr;
  void *user = nullptr;
};

/// Lets this thread call what a capture elsewhere would forbid.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Api &api) : api(api) {
    api.cuThreadExchangeStreamCaptureMode(&mode);
  }
  ~RelaxedCapture() { api.cuThreadExchangeStreamCaptureMode(&mode); }
  RelaxedCapture(const RelaxedCapture &) = delete;

private:
  const Api &api;
  int mode = captureRelaxed;
};

/// Device memory and copies in the order of one stream. Not thread-safe. The
/// device's context must be current around every call (Device::Use).
class Queue {
public:
  /// A queue on a stream of its own.
  static Status create(std::shared_ptr<Device> device,
                       const Allocator &allocator, std::unique_ptr<Queue> &out);
  ~Queue();
  Queue(const Queue &) = delete;

  Device &device() const { return *deviceRef; }
  const std::shared_ptr<Device> &sharedDevice() const { return deviceRef; }
  CUstream stream() const { return current; }
  /// Goes on with a caller's stream, after all work so far unless one of the
  /// streams is being captured.
  Status use(CUstream stream);

  /// Whether the caller is capturing the stream.
  Status isCapturing(bool &capturing) const;
  /// Waits for everything on the stream. `after` says what was last done.
  Status wait(const std::string &after);

  Status allocate(MemoryUse use, uint64_t bytes, const std::string &what,
                  CUdeviceptr &out);
  void release(MemoryUse use, CUdeviceptr memory, uint64_t bytes);
  Status copy(CUdeviceptr to, CUdeviceptr from, uint64_t bytes);
  Status fill(CUdeviceptr to, uint64_t bytes);
  /// The host's memory must stay as it is until the stream has passed.
  Status upload(CUdeviceptr to, const void *from, uint64_t bytes);
  Status download(void *to, CUdeviceptr from, uint64_t bytes);

private:
  Queue(std::shared_ptr<Device> device, const Allocator &allocator)
      : deviceRef(std::move(device)), allocator(allocator) {}
  const Api &api() const { return deviceRef->api(); }

  std::shared_ptr<Device> deviceRef;
  Allocator allocator;
  CUstream own = nullptr, current = nullptr;
  CUevent order = nullptr;
  std::set<CUdeviceptr> pooled; // blocks of cuMemAllocAsync
};

/// A queue's memory for one use as a space.
class QueueSpace final : public MemorySpace {
public:
  QueueSpace(Queue &queue, MemoryUse use) : queue(queue), use(use) {}
  Status allocate(uint64_t bytes, const std::string &what,
                  void *&block) override;
  void release(void *block, uint64_t bytes) override;
  Status copy(void *to, const void *from, uint64_t bytes) override;
  Status zero(void *to, uint64_t bytes) override;
  Status read(void *host, const void *from, uint64_t bytes) override;
  Status write(void *to, const void *host, uint64_t bytes) override;
  bool isHost() const override { return false; }

private:
  Queue &queue;
  MemoryUse use;
};

inline CUdeviceptr deviceAddress(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_QUEUE_H
