// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests on the fake libcuda: small artefacts with code for its device.

#ifndef K3_TEST_RUNTIME_CUDA_CUDATEST_H
#define K3_TEST_RUNTIME_CUDA_CUDATEST_H

#include "runtime/device/cuda/Queue.h"
#include "test/runtime/run/TestArtefact.h"
#include "test/support/FakeGpuArtefact.h"

#include <memory>

namespace k3::test {

/// What the fake exports beside libcuda's functions.
struct FakeControl {
  void (*script)(const char *text);
  int64_t (*calls)(const char *function);
  int64_t (*live)(const char *kind);
  const char *(*violation)(void);
};
const FakeControl &fakeCuda();

/// A model and a session on a device. Without `mayFail` both must be there.
class DeviceRuntime {
public:
  struct Options {
    const char *device = "cuda:0";
    int64_t slots = 4, capacity = 64;
    bool useStream = false;
    void *stream = nullptr;
    k3rt_allocator allocator = {};
    const char *target = nullptr;
  };
  DeviceRuntime(const std::string &artefact, const std::string &weights,
                const Options &options, bool mayFail = false);
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime &) = delete;

  int32_t newSlot();
  /// As Runtime::run of TestArtefact.h.
  k3_code run(const char *entry, std::vector<int32_t> tokens,
              std::vector<int32_t> cuSeqlens, std::vector<int32_t> slots,
              std::vector<float> &logits);
  std::vector<float> logits(const char *entry, std::vector<int32_t> tokens,
                            std::vector<int32_t> cuSeqlens,
                            std::vector<int32_t> slots);

  /// Of loading or creating; its text is k3rt_last_error then.
  k3_code code = K3_OK;
  std::string error;
  k3rt_model *model = nullptr;
  k3rt_session *session = nullptr;
};

class CudaTest : public testing::Test {
protected:
  void SetUp() override;
  /// Nothing is left, and nothing was done wrong, unless the device was lost.
  void TearDown() override;

  /// Puts code for the fake device beside that for the CPU.
  void addGpuCode(const std::string &name, const fake::GpuChange &change = {});
  /// The language model and the operations, with GPU code.
  std::string languageModel(const fake::GpuChange &change = {});
  std::string operations(const fake::GpuChange &change = {});

  TempFolder folder;
  bool lost = false;
};

/// Memory of the fake device that a caller owns.
class DeviceMemory {
public:
  explicit DeviceMemory(size_t bytes, int ordinal = 0);
  template <class T>
  explicit DeviceMemory(const std::vector<T> &values)
      : DeviceMemory(values.size() * sizeof(T)) {
    write(values.data(), values.size() * sizeof(T));
  }
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;

  void write(const void *from, size_t bytes);
  template <class T> std::vector<T> read() const {
    const T *begin = static_cast<const T *>(data());
    return {begin, begin + bytes / sizeof(T)};
  }
  void *data() const { return reinterpret_cast<void *>(memory); }
  k3_tensor tensor(const char *name, k3_dtype dtype,
                   std::vector<int64_t> shape) const;

private:
  std::shared_ptr<cuda::Device> device;
  cuda::CUdeviceptr memory = 0;
  size_t bytes;
};

} // namespace k3::test

#endif // K3_TEST_RUNTIME_CUDA_CUDATEST_H
