// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake is found through K3_LIBCUDA, as a user would name another driver.

#include "test/runtime/cuda/CudaTest.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/File.h"

#include <cmath>
#include <cstring>
#include <dlfcn.h>

using namespace k3;
using namespace k3::test;

const FakeControl &k3::test::fakeCuda() {
  static const FakeControl control = [] {
    void *library = dlopen(K3_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    EXPECT_NE(library, nullptr) << dlerror();
    auto find = [&]<class F>(F &out, const char *name) {
      out = reinterpret_cast<F>(dlsym(library, name));
    };
    FakeControl found;
    find(found.script, "k3_fake_cuda_script");
    find(found.calls, "k3_fake_cuda_calls");
    find(found.live, "k3_fake_cuda_live");
    find(found.violation, "k3_fake_cuda_violation");
    return found;
  }();
  return control;
}

DeviceRuntime::DeviceRuntime(const std::string &artefact,
                             const std::string &weights, const Options &options,
                             bool mayFail) {
  k3rt_model_options wanted = {};
  wanted.struct_size = sizeof(wanted);
  wanted.weights_dir = weights.empty() ? nullptr : weights.c_str();
  wanted.device = options.device;
  wanted.allocator = options.allocator;
  wanted.target = options.target;
  code = k3rt_model_load(artefact.c_str(), &wanted, &model);
  error = k3rt_last_error();
  if (code == K3_OK) {
    k3rt_session_options made = {};
    made.struct_size = sizeof(made);
    made.threads = 1;
    made.slots = options.slots;
    made.capacity = options.capacity;
    made.use_stream = options.useStream;
    made.stream = options.stream;
    code = k3rt_session_create(model, &made, &session);
    error = k3rt_last_error();
  }
  if (!mayFail)
    EXPECT_EQ(code, K3_OK) << error;
}

DeviceRuntime::~DeviceRuntime() {
  k3rt_session_destroy(session);
  k3rt_model_destroy(model);
}

int32_t DeviceRuntime::newSlot() {
  int32_t slot = -1;
  EXPECT_EQ(k3rt_slot_create(session, &slot), K3_OK) << k3rt_last_error();
  return slot;
}

k3_code DeviceRuntime::run(const char *entry, std::vector<int32_t> tokens,
                           std::vector<int32_t> cuSeqlens,
                           std::vector<int32_t> slots,
                           std::vector<float> &logits) {
  int64_t rows =
      int64_t(entry == std::string("prefill") ? slots.size() : tokens.size());
  logits.assign(size_t(rows * width), NAN);
  k3_tensor inputs[] = {ints("tokens", tokens), ints("cu_seqlens", cuSeqlens),
                        ints("slots", slots)};
  k3_tensor output = floats("logits", logits, {rows, width});
  return k3rt_run(session, entry, inputs, 3, &output, 1);
}

std::vector<float> DeviceRuntime::logits(const char *entry,
                                         std::vector<int32_t> tokens,
                                         std::vector<int32_t> cuSeqlens,
                                         std::vector<int32_t> slots) {
  std::vector<float> result;
  EXPECT_EQ(run(entry, tokens, cuSeqlens, slots, result), K3_OK)
      << k3rt_last_error();
  return result;
}

void CudaTest::SetUp() {
  setenv("K3_LIBCUDA", K3_FAKE_CUDA, 1);
  unsetenv("K3_SYNC");
  unsetenv("CUDA_VISIBLE_DEVICES");
  fakeCuda().script("");
  writeWeights(folder.path);
}

void CudaTest::TearDown() {
  EXPECT_STREQ(fakeCuda().violation(), "");
  if (!lost)
    for (const char *kind : {"memory", "pinned", "stream", "event", "module",
                             "graph", "exec", "context"})
      EXPECT_EQ(fakeCuda().live(kind), 0) << kind;
  fakeCuda().script("");
}

void CudaTest::addGpuCode(const std::string &name,
                          const fake::GpuChange &change) {
  std::vector<uint8_t> bytes;
  ASSERT_TRUE(readFile(folder / name, 1 << 30, bytes).ok());
  std::string out;
  Status status = fake::addFakeGpuCode(std::string(bytes.begin(), bytes.end()),
                                       change, out);
  ASSERT_TRUE(status.ok()) << status.render();
  ASSERT_TRUE(writeFile(folder / name, out).ok());
}

std::string CudaTest::languageModel(const fake::GpuChange &change) {
  writeLanguageModel(folder / "lm.fatbin");
  addGpuCode("lm.fatbin", change);
  return folder / "lm.fatbin";
}

std::string CudaTest::operations(const fake::GpuChange &change) {
  writeOperations(folder / "ops.fatbin");
  addGpuCode("ops.fatbin", change);
  return folder / "ops.fatbin";
}

DeviceMemory::DeviceMemory(size_t bytes, int ordinal) : bytes(bytes) {
  Status status = cuda::Device::open(ordinal, device);
  EXPECT_TRUE(status.ok()) << status.render();
  cuda::Device::Use use(*device);
  EXPECT_EQ(device->api().cuMemAlloc_v2(&memory, bytes), cuda::success);
}

DeviceMemory::~DeviceMemory() {
  cuda::Device::Use use(*device);
  device->api().cuMemFree_v2(memory);
}

void DeviceMemory::write(const void *from, size_t size) {
  std::memcpy(data(), from, size);
}

k3_tensor DeviceMemory::tensor(const char *name, k3_dtype dtype,
                               std::vector<int64_t> shape) const {
  k3_tensor tensor = {};
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.rank = int32_t(shape.size());
  std::copy(shape.begin(), shape.end(), tensor.shape);
  tensor.data = data();
  tensor.bytes = bytes;
  tensor.memory = K3_DEVICE;
  return tensor;
}
