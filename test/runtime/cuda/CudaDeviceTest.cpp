// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The real driver and device, where there is one: kernels compiled from the
// CPU's source give the CPU's numbers. Skipped elsewhere.

#include "runtime/base/AtomicFile.h"
#include "runtime/base/File.h"
#include "test/runtime/cuda/CudaTest.h"

#include <fstream>
#include <iterator>

using namespace k3;
using namespace k3::test;

namespace {

class CudaDevice : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("K3_LIBCUDA");
    unsetenv("K3_SYNC");
    Status status = cuda::Device::open(0, device);
    if (!status.ok())
      GTEST_SKIP() << "no GPU: " << status.render();
    writeWeights(folder.path);
    writeLanguageModel(folder / "lm.fatbin");
    writeOperations(folder / "ops.fatbin");
    addPtx("lm.fatbin");
    addPtx("ops.fatbin");
  }

  void addPtx(const std::string &name) {
    std::ifstream file(K3_TEST_PTX, std::ios::binary);
    fake::GpuChange change;
    change.target = "compute_80";
    change.ptx.assign(std::istreambuf_iterator<char>(file), {});
    change.workgroupsPerBlock = 3; // as in GpuKernels.c
    change.threads = 32;
    change.shared = 64 << 10;
    change.cluster = device->hasClusters() ? 2 : 1;
    std::vector<uint8_t> bytes;
    std::string out;
    ASSERT_TRUE(readFile(folder / name, 1 << 30, bytes).ok());
    Status status = fake::addFakeGpuCode(
        std::string(bytes.begin(), bytes.end()), change, out);
    ASSERT_TRUE(status.ok()) << status.render();
    ASSERT_TRUE(writeFile(folder / name, out).ok());
  }

  std::unique_ptr<DeviceRuntime> open(const char *name, const char *where) {
    DeviceRuntime::Options options;
    options.device = where;
    return std::make_unique<DeviceRuntime>(folder / name, folder.path, options);
  }

  TempFolder folder;
  std::shared_ptr<cuda::Device> device;
};

} // namespace

// From the third step on a graph runs.
TEST_F(CudaDevice, StepsAndSlotsEqualTheCpu) {
  std::vector<float> results[2];
  for (int on = 0; on < 2; ++on) {
    auto runtime = open("lm.fatbin", on ? "cuda:0" : "cpu");
    std::vector<float> &all = results[on];
    auto add = [&](const std::vector<float> &values) {
      all.insert(all.end(), values.begin(), values.end());
    };
    for (int i = 0; i < 3; ++i)
      runtime->newSlot();
    add(runtime->logits("prefill", {1, 2, 3, 4, 5, 6}, {0, 2, 5, 5, 6},
                        {2, 0, -1, 1}));
    for (int32_t step = 0; step < 8; ++step)
      add(runtime->logits("score", {step, step + 1}, {0, 1, 2}, {1, 2}));
    int32_t copy = -1;
    check(k3rt_slot_fork(runtime->session, 2, &copy));
    std::string path = folder / "slot";
    check(k3rt_slot_save(runtime->session, copy, path.c_str()));
    check(k3rt_slot_load(runtime->session, 0, path.c_str()));
    add(runtime->logits("prefill", {7}, {0, 1}, {0}));
    std::vector<float> sum(width);
    k3_tensor state = floats("sum", sum, {width});
    check(k3rt_slot_read(runtime->session, copy, "sum", &state));
    add(sum);
  }
  EXPECT_EQ(results[1], results[0]);
}

TEST_F(CudaDevice, CopiesFillsAndLargeInputs) {
  auto gpu = open("ops.fatbin", "cuda:0");
  int64_t rows = 100000;
  std::vector<float> x(size_t(rows * width), 1.5f), y(x.size(), 2.0f),
      sum(x.size()), total(1);
  for (int i = 0; i < 4; ++i) {
    k3_tensor inputs[] = {floats("x", x, {rows, width}),
                          floats("y", y, {rows, width})};
    k3_tensor output = floats("sum", sum, {rows, width});
    check(k3rt_run(gpu->session, "add", inputs, 2, &output, 1));
    EXPECT_EQ(sum, std::vector<float>(x.size(), 3.5f));
    k3_tensor count = floats("total", total, {1});
    check(k3rt_run(gpu->session, "count", nullptr, 0, &count, 1));
    EXPECT_EQ(total[0], 10);
  }
}

// Device buffers, a caller's stream, and the caller's own graph.
TEST_F(CudaDevice, CallersBuffersStreamAndGraph) {
  const cuda::Api &api = device->api();
  cuda::Device::Use use(*device);
  cuda::CUstream stream;
  ASSERT_EQ(api.cuStreamCreate(&stream, cuda::streamNonBlocking),
            cuda::success);
  std::unique_ptr<cuda::Queue> queue;
  ASSERT_TRUE(cuda::Queue::create(device, {}, queue).ok());
  {
    cuda::QueueSpace space(*queue, cuda::MemoryUse::Workspace);
    SpaceBlock memory;
    std::vector<float> values(16);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(i);
    ASSERT_TRUE(SpaceBlock::allocate(space, 96, "test", memory).ok());
    ASSERT_TRUE(space.write(memory.data(), values.data(), 64).ok());
    auto tensor = [&](const char *name, size_t at) {
      k3_tensor made = floats(name, values, {2, width});
      made.data = memory.data() + at;
      made.bytes = 32;
      made.memory = K3_DEVICE;
      return made;
    };
    auto gpu = open("ops.fatbin", "cuda:0");
    check(k3rt_session_set_stream(gpu->session, stream));
    k3_tensor inputs[] = {tensor("x", 0), tensor("y", 32)};
    k3_tensor output = tensor("sum", 64);
    check(k3rt_run(gpu->session, "add", inputs, 2, &output, 1));
    check(k3rt_session_wait(gpu->session));
    ASSERT_EQ(api.cuStreamBeginCapture_v2(stream, cuda::captureGlobal),
              cuda::success);
    check(k3rt_run(gpu->session, "add", inputs, 2, &output, 1));
    cuda::CUgraph graph;
    ASSERT_EQ(api.cuStreamEndCapture(stream, &graph), cuda::success);
    cuda::CUgraphExec exec;
    ASSERT_EQ(api.cuGraphInstantiateWithFlags(&exec, graph, 0), cuda::success);
    values[0] = 100;
    ASSERT_TRUE(space.write(memory.data(), values.data(), 4).ok());
    ASSERT_EQ(api.cuGraphLaunch(exec, stream), cuda::success);
    check(k3rt_session_wait(gpu->session));
    std::vector<float> sum(8);
    ASSERT_TRUE(space.read(sum.data(), memory.data() + 64, 32).ok());
    for (size_t i = 0; i < sum.size(); ++i)
      EXPECT_EQ(sum[i], values[i] + values[i + 8]);
    // Host memory given as the device's is refused, not followed.
    inputs[0].data = values.data();
    EXPECT_EQ(k3rt_run(gpu->session, "add", inputs, 2, &output, 1),
              K3_BAD_INPUT);
    api.cuGraphExecDestroy(exec);
    api.cuGraphDestroy(graph);
  }
  queue.reset();
  api.cuStreamDestroy_v2(stream);
}

TEST_F(CudaDevice, RefusesPtxThatIsNotPtx) {
  fake::GpuChange change;
  change.target = "compute_80";
  change.ptx = ".version 8.0\n.target sm_80\nnonsense\n";
  writeOperations(folder / "bad.fatbin");
  std::vector<uint8_t> bytes;
  std::string out;
  ASSERT_TRUE(readFile(folder / "bad.fatbin", 1 << 30, bytes).ok());
  ASSERT_TRUE(
      fake::addFakeGpuCode(std::string(bytes.begin(), bytes.end()), change, out)
          .ok());
  ASSERT_TRUE(writeFile(folder / "bad.fatbin", out).ok());
  DeviceRuntime gpu(folder / "bad.fatbin", "", {}, true);
  EXPECT_EQ(gpu.code, K3_BAD_INPUT);
  EXPECT_NE(gpu.error.find("K3-E0907"), std::string::npos) << gpu.error;
  // The device goes on.
  auto good = open("ops.fatbin", "cuda:0");
  std::vector<float> total(1);
  k3_tensor count = floats("total", total, {1});
  check(k3rt_run(good->session, "count", nullptr, 0, &count, 1));
  EXPECT_EQ(total[0], 10);
}
