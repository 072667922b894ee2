// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on the fake device equal runs on the CPU, bit for bit: the kernels are
// the same machine code.

#include "test/runtime/cuda/CudaTest.h"

#include <random>

using namespace k3;
using namespace k3::test;

namespace {

class CudaRun : public CudaTest {
protected:
  using Options = DeviceRuntime::Options;
  std::unique_ptr<DeviceRuntime> open(const std::string &artefact,
                                      const char *device = "cuda:0") {
    Options options;
    options.device = device;
    return std::make_unique<DeviceRuntime>(artefact, folder.path, options);
  }
};

std::vector<int32_t> prompt(int64_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  for (int32_t &token : tokens)
    token = int32_t(random() % vocabulary);
  return tokens;
}

/// Prefill of three sequences, one empty and padded, then steps of two.
std::vector<float> session(DeviceRuntime &runtime) {
  for (int i = 0; i < 4; ++i)
    runtime.newSlot();
  std::vector<float> all =
      runtime.logits("prefill", prompt(15), {0, 5, 14, 14, 15}, {2, 0, -1, 1});
  for (int32_t step = 0; step < 6; ++step)
    for (float value :
         runtime.logits("score", {step, step + 1}, {0, 1, 2}, {1, 2}))
      all.push_back(value);
  return all;
}

} // namespace

TEST_F(CudaRun, EqualsTheCpu) {
  std::string artefact = languageModel();
  auto cpu = open(artefact, "cpu"), gpu = open(artefact);
  EXPECT_EQ(session(*gpu), session(*cpu));
}

// The grid, its cut into blocks and clusters, and the kind of image change
// nothing.
TEST_F(CudaRun, EqualsTheCpuInEveryGeometry) {
  std::vector<float> expected = session(*open(languageModel(), "cpu"));
  for (uint32_t perBlock : {1u, 3u, 64u})
    for (uint32_t cluster : {1u, 2u, 16u})
      for (bool withGrid : {false, true}) {
        fake::GpuChange change;
        change.workgroupsPerBlock = perBlock;
        change.cluster = cluster;
        change.withGrid = withGrid;
        change.shared = 200 << 10;
        EXPECT_EQ(session(*open(languageModel(change))), expected)
            << perBlock << " " << cluster << " " << withGrid;
      }
  fake::GpuChange change;
  change.target = "compute_80";
  change.ptxFile = folder / "image";
  EXPECT_EQ(session(*open(languageModel(change))), expected);
}

TEST_F(CudaRun, SecondRunOfAShapeIsAGraph) {
  auto gpu = open(languageModel());
  int32_t slot = gpu->newSlot();
  std::vector<int64_t> launches, replays;
  for (int32_t step = 0; step < 5; ++step) {
    gpu->logits("score", {step}, {0, 1}, {slot});
    launches.push_back(fakeCuda().calls("cuLaunchKernel"));
    replays.push_back(fakeCuda().calls("cuGraphLaunch"));
  }
  EXPECT_EQ(replays, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  // The second run captures; later ones launch nothing by themselves.
  EXPECT_EQ(launches, (std::vector<int64_t>{3, 6, 6, 6, 6}));
  // Another shape in between does not throw the graph away.
  gpu->logits("score", {1, 2}, {0, 2}, {slot});
  gpu->logits("score", {1}, {0, 1}, {slot});
  EXPECT_EQ(fakeCuda().calls("cuGraphLaunch"), 5);
  EXPECT_EQ(fakeCuda().live("exec"), 1);
}

TEST_F(CudaRun, OperationsOnTheCallersMemory) {
  std::string artefact = operations();
  std::vector<std::vector<float>> results[2];
  for (int on = 0; on < 2; ++on) {
    Options options;
    options.device = on ? "cuda:0" : "cpu";
    DeviceRuntime runtime(artefact, "", options);
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8}, pool(12, 2.0f);
      std::vector<float> out(8), next(12), total(1);
      std::vector<int32_t> ends = {0, 1, 2}, slots = {2, 0}, context = {1, 0};
      k3_tensor inputs[] = {floats("x", x, {2, width}),
                            ints("cu_seqlens", ends), ints("slots", slots),
                            ints("context_lens", context),
                            floats("state", pool, {3, width})};
      k3_tensor outputs[] = {floats("out", out, {2, width}),
                             floats("new_state", next, {3, width})};
      check(k3rt_run(runtime.session, "scan", inputs, 5, outputs, 2));
      // In place: the pool is input and output.
      outputs[1].data = pool.data();
      check(k3rt_run(runtime.session, "scan", inputs, 5, outputs, 2));
      k3_tensor sum = floats("total", total, {1});
      check(k3rt_run(runtime.session, "count", nullptr, 0, &sum, 1));
      for (auto *list : {&out, &next, &pool, &total})
        results[on].push_back(*list);
    }
  }
  EXPECT_EQ(results[1], results[0]);
}

TEST_F(CudaRun, WithoutTokensNothingHappens) {
  std::string artefact = operations();
  Options options;
  DeviceRuntime runtime(artefact, "", options);
  std::vector<float> none, pool(8, 3.0f), next(8);
  std::vector<int32_t> ends = {0, 0}, slots = {1}, context = {0};
  k3_tensor inputs[] = {floats("x", none, {0, width}), ints("cu_seqlens", ends),
                        ints("slots", slots), ints("context_lens", context),
                        floats("state", pool, {2, width})};
  k3_tensor outputs[] = {floats("out", none, {0, width}),
                         floats("new_state", next, {2, width})};
  check(k3rt_run(runtime.session, "scan", inputs, 5, outputs, 2));
  EXPECT_EQ(next, pool);
  EXPECT_EQ(fakeCuda().calls("cuLaunchKernel"), 0);
}

// Above 1 MiB inputs are not staged; the call waits for them.
TEST_F(CudaRun, LargeInputs) {
  std::string artefact = operations();
  DeviceRuntime runtime(artefact, "", Options());
  int64_t rows = 100000;
  std::vector<float> x(size_t(rows * width), 1.5f), y(x.size(), 2.0f),
      sum(x.size());
  for (int i = 0; i < 3; ++i) {
    k3_tensor inputs[] = {floats("x", x, {rows, width}),
                          floats("y", y, {rows, width})};
    k3_tensor output = floats("sum", sum, {rows, width});
    check(k3rt_run(runtime.session, "add", inputs, 2, &output, 1));
    EXPECT_EQ(sum, std::vector<float>(x.size(), 3.5f + float(i)));
    std::fill(y.begin(), y.end(), 3.0f + float(i));
  }
}

// States: save, load, fork, read, reset, as on the CPU; files go both ways.
TEST_F(CudaRun, SlotsOnTheDevice) {
  std::string artefact = languageModel();
  auto cpu = open(artefact, "cpu"), gpu = open(artefact);
  std::vector<float> expected, onGpu;
  for (DeviceRuntime *runtime : {cpu.get(), gpu.get()}) {
    int32_t slot = runtime->newSlot(), copy = -1;
    runtime->logits("prefill", prompt(7), {0, 7}, {slot});
    check(k3rt_slot_fork(runtime->session, slot, &copy));
    std::string path = folder / (runtime == gpu.get() ? "gpu" : "cpu");
    check(k3rt_slot_save(runtime->session, copy, path.c_str()));
    std::vector<float> sum(width), rows(7 * width);
    k3_tensor state = floats("sum", sum, {width});
    check(k3rt_slot_read(runtime->session, copy, "sum", &state));
    state = floats("rows", rows, {7, width});
    check(k3rt_slot_read(runtime->session, copy, "rows", &state));
    sum.insert(sum.end(), rows.begin(), rows.end());
    std::vector<float> next = runtime->logits("prefill", {3}, {0, 1}, {copy});
    sum.insert(sum.end(), next.begin(), next.end());
    (runtime == gpu.get() ? onGpu : expected) = sum;
  }
  EXPECT_EQ(onGpu, expected);
  int32_t loaded = gpu->newSlot();
  check(k3rt_slot_load(gpu->session, loaded, (folder / "cpu").c_str()));
  EXPECT_EQ(gpu->logits("prefill", {3}, {0, 1}, {loaded}),
            std::vector<float>(expected.end() - width, expected.end()));
  check(k3rt_slot_reset(gpu->session, loaded));
  EXPECT_EQ(gpu->logits("score", {5}, {0, 1}, {loaded}),
            cpu->logits("score", {5}, {0, 1}, {cpu->newSlot()}));
}

TEST_F(CudaRun, DeviceBuffersAndNoWait) {
  std::string artefact = languageModel();
  auto cpu = open(artefact, "cpu"), gpu = open(artefact);
  int32_t slot = gpu->newSlot(), other = cpu->newSlot();
  DeviceMemory tokens(std::vector<int32_t>{4}), logits(width * sizeof(float));
  std::vector<int32_t> ends = {0, 1}, slots = {slot};
  k3_tensor inputs[] = {tokens.tensor("tokens", K3_I32, {1}),
                        ints("cu_seqlens", ends), ints("slots", slots)};
  k3_tensor output = logits.tensor("logits", K3_F32, {1, width});
  std::vector<float> expected;
  auto waits = [] {
    return fakeCuda().calls("cuStreamSynchronize") +
           fakeCuda().calls("cuEventSynchronize");
  };
  int64_t before = waits();
  for (int step = 0; step < 5; ++step) {
    check(k3rt_run(gpu->session, "score", inputs, 3, &output, 1));
    expected = cpu->logits("score", {4}, {0, 1}, {other});
  }
  // Neither the call nor what it has to copy waits.
  EXPECT_EQ(waits(), before);
  check(k3rt_session_wait(gpu->session));
  EXPECT_EQ(logits.read<float>(), expected);
}

// With slots on the device the caller gives the past and keeps count.
TEST_F(CudaRun, SlotsInDeviceMemory) {
  std::string artefact = languageModel();
  auto cpu = open(artefact, "cpu"), gpu = open(artefact);
  int32_t slot = gpu->newSlot(), other = cpu->newSlot();
  gpu->logits("score", {1, 2}, {0, 2}, {slot});
  cpu->logits("score", {1, 2}, {0, 2}, {other});
  DeviceMemory tokens(std::vector<int32_t>{4}), ends(std::vector{0, 1}),
      slots(std::vector<int32_t>{slot}), context(std::vector<int32_t>{2}),
      logits(width * sizeof(float));
  k3_tensor inputs[] = {tokens.tensor("tokens", K3_I32, {1}),
                        ends.tensor("cu_seqlens", K3_I32, {2}),
                        slots.tensor("slots", K3_I32, {1}),
                        context.tensor("context_lens", K3_I32, {1})};
  k3_tensor output = logits.tensor("logits", K3_F32, {1, width});
  EXPECT_EQ(k3rt_run(gpu->session, "score", inputs, 3, &output, 1),
            K3_BAD_USAGE);
  EXPECT_NE(std::string(k3rt_last_error()).find("slots are in device memory"),
            std::string::npos);
  check(k3rt_run(gpu->session, "score", inputs, 4, &output, 1));
  check(k3rt_session_wait(gpu->session));
  EXPECT_EQ(logits.read<float>(), cpu->logits("score", {4}, {0, 1}, {other}));
  int64_t length = 0;
  check(k3rt_slot_length(gpu->session, slot, &length));
  EXPECT_EQ(length, 2);
  check(k3rt_slot_set_length(gpu->session, slot, 3));
  EXPECT_EQ(gpu->logits("score", {5}, {0, 1}, {slot}),
            cpu->logits("score", {5}, {0, 1}, {other}));
  EXPECT_EQ(k3rt_slot_set_length(gpu->session, slot, 65), K3_BAD_INPUT);
}

// D3, D4: memory that is somewhere else, or of no use to kernels.
TEST_F(CudaRun, RefusesMemoryOfAnotherKind) {
  fakeCuda().script("devices=2");
  std::string artefact = operations();
  DeviceRuntime cpu(artefact, "", [] {
    Options options;
    options.device = "cpu";
    return options;
  }());
  DeviceRuntime gpu(artefact, "", Options());
  std::vector<float> host(8);
  DeviceMemory here(std::vector<float>(12)), there(32, 1);
  k3_tensor x = here.tensor("x", K3_F32, {2, width}),
            y = floats("y", host, {2, width});
  std::vector<float> result(8);
  k3_tensor sum = floats("sum", result, {2, width});
  auto refuse = [&](DeviceRuntime &runtime, const std::string &part) {
    k3_tensor inputs[] = {x, y};
    EXPECT_EQ(k3rt_run(runtime.session, "add", inputs, 2, &sum, 1),
              K3_BAD_INPUT);
    EXPECT_NE(std::string(k3rt_last_error()).find(part), std::string::npos)
        << k3rt_last_error();
  };
  refuse(cpu, "error[K3-E0916]: add: argument 'x' is in device memory, but the "
              "model is on the CPU");
  x.data = host.data();
  x.bytes = 32;
  refuse(gpu,
         "argument 'x': data is not device memory, the model is on cuda:0");
  x = there.tensor("x", K3_F32, {2, width});
  refuse(gpu, "argument 'x': data is on cuda:1, the model is on cuda:0");
  x = here.tensor("x", K3_F32, {2, width});
  x.data = static_cast<char *>(here.data()) + 4;
  refuse(gpu, "error[K3-E0411]: add: argument 'x': data in device memory is "
              "not aligned (wanted a multiple of 16 bytes)");
  x = here.tensor("x", K3_F32, {2, width});
  x.memory = k3_memory(7);
  refuse(gpu, "memory kind 7 is unknown");
}

TEST_F(CudaRun, CallersStreamAndOrder) {
  std::shared_ptr<cuda::Device> device;
  ASSERT_TRUE(cuda::Device::open(0, device).ok());
  cuda::CUstream streams[2];
  {
    cuda::Device::Use use(*device);
    for (cuda::CUstream &stream : streams)
      ASSERT_EQ(device->api().cuStreamCreate(&stream, 1), cuda::success);
  }
  std::string artefact = languageModel();
  auto cpu = open(artefact, "cpu");
  {
    Options options;
    options.useStream = true;
    options.stream = streams[0];
    DeviceRuntime gpu(artefact, folder.path, options);
    int32_t slot = gpu.newSlot(), other = cpu->newSlot();
    for (int step = 0; step < 6; ++step) {
      EXPECT_EQ(gpu.logits("score", {step}, {0, 1}, {slot}),
                cpu->logits("score", {step}, {0, 1}, {other}));
      check(k3rt_session_set_stream(gpu.session, streams[(step + 1) % 2]));
    }
    EXPECT_EQ(fakeCuda().calls("cuStreamWaitEvent"), 7);
    EXPECT_EQ(k3rt_session_set_stream(cpu->session, streams[0]), K3_BAD_USAGE);
  }
  cuda::Device::Use use(*device);
  for (cuda::CUstream stream : streams)
    device->api().cuStreamDestroy_v2(stream);
}

// The caller captures a step and replays it with tokens and pasts of its own.
TEST_F(CudaRun, CallerCaptures) {
  std::shared_ptr<cuda::Device> device;
  ASSERT_TRUE(cuda::Device::open(0, device).ok());
  const cuda::Api &api = device->api();
  cuda::Device::Use use(*device);
  cuda::CUstream stream;
  ASSERT_EQ(api.cuStreamCreate(&stream, 1), cuda::success);
  std::string artefact = languageModel();
  auto cpu = open(artefact, "cpu");
  {
    Options options;
    options.useStream = true;
    options.stream = stream;
    DeviceRuntime gpu(artefact, folder.path, options);
    int32_t slot = gpu.newSlot(), other = cpu->newSlot();
    DeviceMemory tokens(std::vector<int32_t>{0}),
        context(std::vector<int32_t>{0}), logits(width * sizeof(float));
    std::vector<int32_t> ends = {0, 1}, slots = {slot};
    k3_tensor inputs[] = {tokens.tensor("tokens", K3_I32, {1}),
                          ints("cu_seqlens", ends), ints("slots", slots),
                          context.tensor("context_lens", K3_I32, {1})};
    k3_tensor output = logits.tensor("logits", K3_F32, {1, width});
    std::vector<float> onHost(width);
    k3_tensor hostOutput = floats("logits", onHost, {1, width});
    ASSERT_EQ(api.cuStreamBeginCapture_v2(stream, 0), cuda::success);
    EXPECT_EQ(k3rt_run(gpu.session, "score", inputs, 4, &hostOutput, 1),
              K3_BAD_USAGE);
    EXPECT_NE(std::string(k3rt_last_error()).find("is being captured"),
              std::string::npos);
    check(k3rt_run(gpu.session, "score", inputs, 4, &output, 1));
    EXPECT_EQ(k3rt_session_wait(gpu.session), K3_BAD_USAGE);
    cuda::CUgraph graph;
    ASSERT_EQ(api.cuStreamEndCapture(stream, &graph), cuda::success);
    cuda::CUgraphExec exec;
    ASSERT_EQ(api.cuGraphInstantiateWithFlags(&exec, graph, 0), cuda::success);
    // Larger runs in between move the session's memory, not the graph's.
    int32_t third = gpu.newSlot();
    gpu.logits("score", prompt(50), {0, 50}, {third});
    ends.assign(2, 77); // no longer read
    slots.assign(1, 77);
    for (int32_t step = 0; step < 4; ++step) {
      int32_t token = step * 3;
      tokens.write(&token, sizeof(token));
      context.write(&step, sizeof(step));
      ASSERT_EQ(api.cuGraphLaunch(exec, stream), cuda::success);
      check(k3rt_session_wait(gpu.session));
      EXPECT_EQ(logits.read<float>(),
                cpu->logits("score", {token}, {0, 1}, {other}));
    }
    int64_t length = -1;
    check(k3rt_slot_length(gpu.session, slot, &length));
    EXPECT_EQ(length, 0);
    api.cuGraphExecDestroy(exec);
    api.cuGraphDestroy(graph);
  }
  api.cuStreamDestroy_v2(stream);
}

TEST_F(CudaRun, CallersAllocator) {
  struct Count {
    std::shared_ptr<cuda::Device> device;
    std::map<void *, size_t> live;
    bool empty = false;
  } count;
  ASSERT_TRUE(cuda::Device::open(0, count.device).ok());
  Options options;
  options.allocator = {[](void *user, size_t bytes, void *) -> void * {
                         auto &count = *static_cast<Count *>(user);
                         if (count.empty)
                           return nullptr;
                         cuda::Device::Use use(*count.device);
                         cuda::CUdeviceptr taken = 0;
                         count.device->api().cuMemAlloc_v2(&taken, bytes);
                         void *memory = reinterpret_cast<void *>(taken);
                         count.live[memory] = bytes;
                         return memory;
                       },
                       [](void *user, void *memory, size_t bytes, void *) {
                         auto &count = *static_cast<Count *>(user);
                         EXPECT_EQ(count.live[memory], bytes);
                         count.live.erase(memory);
                         cuda::Device::Use use(*count.device);
                         count.device->api().cuMemFree_v2(
                             cuda::deviceAddress(memory));
                       },
                       &count};
  std::string artefact = languageModel();
  {
    DeviceRuntime gpu(artefact, folder.path, options);
    EXPECT_GT(count.live.size(), 2u); // weight and states
    count.empty = true;
    int32_t slot = gpu.newSlot();
    std::vector<float> logits;
    EXPECT_EQ(gpu.run("score", {1}, {0, 1}, {slot}, logits), K3_RESOURCES);
    EXPECT_NE(std::string(k3rt_last_error()).find("the caller's allocator"),
              std::string::npos);
  }
  EXPECT_TRUE(count.live.empty());
  EXPECT_EQ(fakeCuda().calls("cuMemAllocAsync"), 0);
}
