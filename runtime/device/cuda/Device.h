// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One GPU: its context, what it can do, and whether it is still there.

#ifndef K3_RUNTIME_DEVICE_CUDA_DEVICE_H
#define K3_RUNTIME_DEVICE_CUDA_DEVICE_H

#include "runtime/device/cuda/Driver.h"

#include <array>
#include <atomic>
#include <mutex>

namespace k3::cuda {

/// What memory is taken for; only for messages.
enum class MemoryUse { Weights, States, Workspace };

/// Thread-safe. Once a fault has destroyed its context it is lost, and every
/// later call is refused without asking the driver.
class Device {
public:
  static Status open(int ordinal, std::shared_ptr<Device> &out);
  ~Device();
  Device(const Device &) = delete;

  const Driver &driver() const { return *driverRef; }
  const Api &api() const { return driverRef->api(); }
  int ordinal() const { return number; }
  int major() const { return capability[0]; }
  int minor() const { return capability[1]; }
  /// "cuda:0".
  std::string name() const { return "cuda:" + std::to_string(number); }
  /// "cuda:0 (NVIDIA H200, sm_90)".
  std::string fullName() const;
  int maxThreads() const { return threads; }
  int maxShared() const { return shared; }
  bool hasClusters() const { return clusters != 0; }
  bool hasPools() const { return pools != 0; }

  /// Makes the context current on this thread as long as it lives. Its status
  /// is a refusal when the device is lost.
  class Use {
  public:
    explicit Use(Device &device);
    ~Use();
    Use(const Use &) = delete;
    Status take() { return std::move(status); }
    bool ok() const { return active; }

  private:
    Device &device;
    Status status;
    bool active = false;
  };

  /// A driver's result as a status. Faults that end the context mark the
  /// device as lost. `where` says what was being done, else `call`, the
  /// function, is named.
  Status check(CUresult result, const char *call,
               const std::string &where = {});
  bool isLost() const { return lost.load(std::memory_order_acquire); }
  /// The refusal of every call on a lost device.
  Status usable() { return isLost() ? lostStatus() : Status(); }

  /// Counts memory, for the text of an out-of-memory error.
  void count(MemoryUse use, int64_t bytes) {
    held[size_t(use)].fetch_add(bytes, std::memory_order_relaxed);
  }
  Status refuseMemory(uint64_t bytes, const std::string &what);

private:
  Device() = default;
  Status openContext();
  Status lostStatus();

  std::shared_ptr<const Driver> driverRef;
  int number = 0;
  CUdevice handle = 0;
  CUcontext context = nullptr;
  std::string model;
  int capability[2] = {};
  int threads = 0, shared = 0, clusters = 0, pools = 0;
  std::array<std::atomic<int64_t>, 3> held = {};
  std::atomic<bool> lost = false;
  std::mutex mutex;
  std::string reason; // guarded by mutex
};

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_DEVICE_H
