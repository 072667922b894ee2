// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows E1 to E10, A11 to A13 of the fault catalogue: drivers and devices that
// are missing, old, full, lost.

#include "test/runtime/cuda/CudaTest.h"

using namespace k3;
using namespace k3::test;

namespace {

class CudaFault : public CudaTest {
protected:
  using Options = DeviceRuntime::Options;

  /// Loading the language model is refused.
  void refuse(k3_code code, const std::string &part,
              const std::string &artefact, const Options &options = {}) {
    DeviceRuntime runtime(artefact, folder.path, options, true);
    EXPECT_EQ(runtime.code, code);
    EXPECT_NE(runtime.error.find(part), std::string::npos)
        << runtime.error << "\nwanted: " << part;
    EXPECT_EQ(runtime.session, nullptr);
  }
  void refuse(k3_code code, const std::string &part,
              const fake::GpuChange &change = {}) {
    refuse(code, part, languageModel(change));
  }
};

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace

TEST_F(CudaFault, E1_NoDriver) {
  setenv("K3_LIBCUDA", (folder / "libcuda.so.1").c_str(), 1);
  refuse(K3_ENVIRONMENT, "error[K3-E0901]: ");
  refuse(K3_ENVIRONMENT, "CUDA driver not found (");
  refuse(K3_ENVIRONMENT, "help: install NVIDIA's driver; compiling, and "
                         "running on the CPU, need none");
  // The same artefact runs on the CPU.
  Options options;
  options.device = "cpu";
  DeviceRuntime cpu(folder / "lm.fatbin", folder.path, options);
  EXPECT_EQ(cpu.code, K3_OK);
}

TEST_F(CudaFault, E2_DriverIsOldOrNone) {
  fakeCuda().script("version=11040");
  refuse(K3_ENVIRONMENT,
         "error[K3-E0902]: " + (folder / "lm.fatbin") +
             ": the CUDA driver is for 11.4, older than the 12.0 that this "
             "runtime needs");
  fakeCuda().script("version=12040");
  fake::GpuChange change;
  change.driver = 13000;
  refuse(K3_ENVIRONMENT,
         "the CUDA driver is for 12.4, older than the 13.0 that the code for "
         "sm_90a needs",
         change);
  fakeCuda().script("fail=cuInit:1:34");
  refuse(K3_ENVIRONMENT, "is the stub that programs are linked with");
  for (const char *script : {"fail=cuInit:1:803", "fail=cuInit:1:804"}) {
    fakeCuda().script(script);
    refuse(K3_ENVIRONMENT, "the CUDA driver does not fit the kernel's: CUDA_");
  }
}

TEST_F(CudaFault, E3_NoDevice) {
  fakeCuda().script("devices=0");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  refuse(K3_ENVIRONMENT, ": no CUDA device (CUDA_VISIBLE_DEVICES is '')");
  unsetenv("CUDA_VISIBLE_DEVICES");
  refuse(K3_ENVIRONMENT, ": no CUDA device");
  fakeCuda().script("devices=2");
  Options options;
  options.device = "cuda:2";
  refuse(K3_ENVIRONMENT,
         "error[K3-E0904]: " + (folder / "lm.fatbin") +
             ": there is no cuda:2, only cuda:0 to cuda:1",
         folder / "lm.fatbin", options);
  for (const char *name : {"cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:1x",
                           "gpu", "cuda:99999999999"}) {
    options.device = name;
    refuse(K3_BAD_USAGE, "error[K3-E0905]: unknown device",
           folder / "lm.fatbin", options);
  }
}

TEST_F(CudaFault, E4_SymbolIsMissing) {
  setenv("K3_LIBCUDA", K3_PARTIAL_CUDA, 1);
  refuse(K3_ENVIRONMENT, "error[K3-E0903]: ");
  refuse(K3_ENVIRONMENT, "has no function 'cuGetErrorName', which drivers have "
                         "since 12.0 at the latest");
}

TEST_F(CudaFault, E5_OutOfMemory) {
  std::string artefact = languageModel();
  fakeCuda().script("memory=200");
  refuse(K3_RESOURCES,
         "weight 'embed': needs 256 bytes on cuda:0, 200 bytes free (held: "
         "weights 0 bytes, states 0 bytes, workspace 0 bytes)",
         artefact);
  fakeCuda().script("memory=300");
  refuse(K3_RESOURCES,
         "error[K3-E0910]: state 'sum' of 4 slots: needs 64 bytes on cuda:0, "
         "44 bytes free (held: weights 256 bytes",
         artefact);
  // In the middle of use: what was there stays, a smaller run then works.
  fakeCuda().script("memory=8000");
  DeviceRuntime gpu(artefact, folder.path, Options());
  int32_t slot = gpu.newSlot();
  std::vector<float> first = gpu.logits("score", {1, 2}, {0, 2}, {slot});
  std::vector<float> logits;
  std::vector<int32_t> many(62, 3);
  EXPECT_EQ(gpu.run("score", many, {0, 62}, {slot}, logits), K3_RESOURCES);
  EXPECT_NE(std::string(k3rt_last_error()).find("error[K3-E0910]: score: "),
            std::string::npos)
      << k3rt_last_error();
  int64_t length = 0;
  check(k3rt_slot_length(gpu.session, slot, &length));
  EXPECT_EQ(length, 2);
  std::vector<float> next = gpu.logits("score", {3}, {0, 1}, {slot});
  EXPECT_EQ(next[0], first[width] * 0.75f + 3);
}

TEST_F(CudaFault, E6_FaultOfAKernel) {
  lost = true;
  std::string artefact = languageModel();
  for (int fault : {700, 702, 710, 716, 719}) {
    fakeCuda().script(
        ("kernel=running_sum_gpu:" + std::to_string(fault)).c_str());
    DeviceRuntime gpu(artefact, folder.path, Options());
    int32_t slot = gpu.newSlot();
    std::vector<float> logits;
    EXPECT_EQ(gpu.run("score", {1}, {0, 1}, {slot}, logits), K3_DEVICE_FAULT);
    std::string text = k3rt_last_error();
    EXPECT_EQ(text.rfind("error[K3-E0912]: score: cuda:0: seen at synchronise, "
                         "after step 2 'append_rows': CUDA_ERROR_",
                         0),
              0u)
        << text;
    EXPECT_NE(text.find("\nhelp: restart the process"), std::string::npos);
    // Later calls are refused at once, without a call of the driver.
    int64_t calls = fakeCuda().calls("");
    EXPECT_EQ(gpu.run("score", {1}, {0, 1}, {slot}, logits), K3_DEVICE_FAULT);
    text = k3rt_last_error();
    EXPECT_NE(text.find("error[K3-E0914]: cuda:0 is lost: seen at"),
              std::string::npos)
        << text;
    EXPECT_EQ(k3rt_slot_save(gpu.session, slot, (folder / "s").c_str()),
              K3_DEVICE_FAULT);
    EXPECT_EQ(k3rt_session_wait(gpu.session), K3_DEVICE_FAULT);
    k3rt_session_options options = {};
    options.struct_size = sizeof(options);
    k3rt_session *other = nullptr;
    EXPECT_EQ(k3rt_session_create(gpu.model, &options, &other),
              K3_DEVICE_FAULT);
    EXPECT_EQ(fakeCuda().calls(""), calls);
  }
}

// K3_SYNC=1 finds the step.
TEST_F(CudaFault, E10_SyncNamesTheStep) {
  lost = true;
  std::string artefact = languageModel();
  setenv("K3_SYNC", "1", 1);
  fakeCuda().script("kernel=running_sum_gpu:700");
  DeviceRuntime gpu(artefact, folder.path, Options());
  std::vector<float> logits;
  EXPECT_EQ(gpu.run("score", {1}, {0, 1}, {gpu.newSlot()}, logits),
            K3_DEVICE_FAULT);
  EXPECT_NE(std::string(k3rt_last_error())
                .find("after step 1 'running_sum': CUDA_ERROR_ILLEGAL_ADDRESS"),
            std::string::npos)
      << k3rt_last_error();
}

// A run without a wait ends well, and a later call tells.
TEST_F(CudaFault, E10_SeenByALaterCall) {
  lost = true;
  std::string artefact = languageModel();
  fakeCuda().script("kernel=append_rows_gpu:716");
  DeviceRuntime gpu(artefact, folder.path, Options());
  int32_t slot = gpu.newSlot();
  {
    DeviceMemory logits(width * sizeof(float));
    std::vector<int32_t> tokens = {1}, ends = {0, 1}, slots = {slot};
    k3_tensor inputs[] = {ints("tokens", tokens), ints("cu_seqlens", ends),
                          ints("slots", slots)};
    k3_tensor output = logits.tensor("logits", K3_F32, {1, width});
    check(k3rt_run(gpu.session, "score", inputs, 3, &output, 1));
  }
  EXPECT_EQ(k3rt_session_wait(gpu.session), K3_DEVICE_FAULT);
  EXPECT_NE(std::string(k3rt_last_error())
                .find("error[K3-E0912]: cuda:0: seen by cuStreamIsCapturing: "
                      "CUDA_ERROR_MISALIGNED_ADDRESS"),
            std::string::npos)
      << k3rt_last_error();
}

TEST_F(CudaFault, E7_LossOfTheDevice) {
  lost = true;
  std::string artefact = languageModel();
  for (const char *fault : {"214", "220"}) {
    fakeCuda().script(("fail=cuLaunchKernel:2:" + std::string(fault)).c_str());
    DeviceRuntime gpu(artefact, folder.path, Options());
    std::vector<float> logits;
    EXPECT_EQ(gpu.run("score", {1}, {0, 1}, {gpu.newSlot()}, logits),
              K3_DEVICE_FAULT);
    EXPECT_NE(std::string(k3rt_last_error())
                  .find("error[K3-E0913]: score: step 1 'running_sum': cuda:0 "
                        "failed: "),
              std::string::npos)
        << k3rt_last_error();
    EXPECT_EQ(fakeCuda().calls("cuLaunchKernel"), 2) << "no retry";
  }
}

// A launch that fails alone leaves the device well; the slot is half changed.
TEST_F(CudaFault, E8_LaunchFails) {
  std::string artefact = languageModel();
  fakeCuda().script("fail=cuLaunchKernel:6:701");
  DeviceRuntime gpu(artefact, folder.path, Options());
  int32_t slot = gpu.newSlot(), other = gpu.newSlot();
  std::vector<float> logits;
  gpu.logits("score", {1, 2}, {0, 2}, {slot});
  EXPECT_EQ(gpu.run("prefill", {1}, {0, 1}, {slot}, logits), K3_DEVICE_FAULT);
  EXPECT_NE(std::string(k3rt_last_error())
                .find("error[K3-E0911]: prefill: step 2 'append_rows': cuda:0: "
                      "kernel 'append_rows', 1 x 128 threads, 0 B shared: "
                      "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
            std::string::npos)
      << k3rt_last_error();
  EXPECT_EQ(gpu.run("score", {1}, {0, 1}, {slot}, logits), K3_BAD_INPUT);
  EXPECT_NE(std::string(k3rt_last_error())
                .find("error[K3-E0919]: score: slots[0]: slot 0 was left half "
                      "changed by a run that failed"),
            std::string::npos)
      << k3rt_last_error();
  EXPECT_EQ(k3rt_slot_save(gpu.session, slot, (folder / "s").c_str()),
            K3_BAD_INPUT);
  EXPECT_EQ(gpu.logits("score", {4}, {0, 1}, {other})[0], 4);
  check(k3rt_slot_reset(gpu.session, slot));
  EXPECT_EQ(gpu.logits("score", {5}, {0, 1}, {slot})[0], 5);
}

TEST_F(CudaFault, E9_DeviceIsHeldByAnother) {
  fakeCuda().script("fail=cuDevicePrimaryCtxRetain:1:46");
  refuse(K3_ENVIRONMENT, "error[K3-E0904]: " + (folder / "lm.fatbin") +
                             ": cuda:0 (Fake GPU, sm_90) is held exclusively "
                             "by another process");
}

TEST_F(CudaFault, A11_DeviceIsTooSmall) {
  fakeCuda().script("shared=101376");
  fake::GpuChange change;
  change.shared = 236 << 10;
  refuse(K3_ENVIRONMENT,
         "error[K3-E0909]: " + (folder / "lm.fatbin") +
             ": kernel 'embed': it needs 236.0 KiB of shared memory, cuda:0 "
             "(Fake GPU, sm_90) allows 99.0 KiB",
         change);
  change.shared = 0;
  change.cluster = 2;
  fakeCuda().script("clusters=0");
  refuse(K3_ENVIRONMENT, "it needs clusters of blocks", change);
}

// Before any image is loaded.
TEST_F(CudaFault, A12_OtherArchitecture) {
  fake::GpuChange change;
  change.target = "sm_100a";
  refuse(K3_ENVIRONMENT,
         "error[K3-E0906]: " + (folder / "lm.fatbin") +
             ": no code object fits this GPU (the artefact holds x86-64-v3, "
             "sm_100a; the device is cuda:0 (Fake GPU, sm_90))\nhelp: rebuild "
             "it: k3-compile model.mlir --target=sm_90a -o model.fatbin",
         change);
  EXPECT_EQ(fakeCuda().calls("cuModuleLoadDataEx"), 0);
  Options options;
  options.target = "sm_90a";
  refuse(K3_ENVIRONMENT, "no code for target 'sm_90a'", folder / "lm.fatbin",
         options);
  options.target = "sm_100a";
  refuse(K3_ENVIRONMENT, "target 'sm_100a' does not fit this GPU",
         folder / "lm.fatbin", options);
}

TEST_F(CudaFault, A13_DriverRefusesTheImage) {
  fake::GpuChange change;
  change.damaged = true;
  refuse(K3_BAD_INPUT,
         "error[K3-E0907]: " + (folder / "lm.fatbin") +
             ": kernel 'embed': cuda:0: the driver refuses its cubin: "
             "CUDA_ERROR_INVALID_IMAGE",
         change);
  change.target = "compute_80";
  change.ptxFile = folder / "image";
  refuse(K3_BAD_INPUT,
         "the driver refuses its PTX: CUDA_ERROR_INVALID_PTX (as the fake was "
         "told): ptxas fatal: not for this fake",
         change);
  // The device goes on.
  DeviceRuntime gpu(languageModel(), folder.path, Options());
  EXPECT_EQ(gpu.logits("score", {4}, {0, 1}, {gpu.newSlot()})[0], 4);
}

TEST_F(CudaFault, KernelsThatAreNotThere) {
  fake::GpuChange change;
  change.withoutKernel = "running_sum";
  refuse(K3_BAD_INPUT,
         "error[K3-E0422]: " + (folder / "lm.fatbin") +
             ": the code for sm_90a has no kernel 'running_sum'",
         change);
  change = {};
  change.wrongEntry = "running_sum";
  refuse(K3_BAD_INPUT,
         "error[K3-E0908]: " + (folder / "lm.fatbin") +
             ": kernel 'running_sum': its image has no function "
             "'running_sum_gpu_other'",
         change);
}

// Every call of the driver fails in turn, in every way that leaves the device
// there and in one that does not: the refusal is one of ours, nothing is left
// behind, and the same work then succeeds.
TEST_F(CudaFault, EveryCallInTurn) {
  lost = true; // what is left is looked at below
  std::string artefact = languageModel();
  auto work = [&](DeviceRuntime &gpu) -> k3_code {
    int32_t slot, copy;
    std::vector<float> logits, all;
    std::string saved = folder / "saved";
    if (k3_code code = k3rt_slot_create(gpu.session, &slot))
      return code;
    for (int step = 0; step < 3; ++step)
      if (k3_code code = gpu.run("score", {step}, {0, 1}, {slot}, logits))
        return code;
    if (k3_code code = k3rt_slot_fork(gpu.session, slot, &copy))
      return code;
    if (k3_code code = k3rt_slot_save(gpu.session, copy, saved.c_str()))
      return code;
    if (k3_code code = k3rt_slot_load(gpu.session, slot, saved.c_str()))
      return code;
    return gpu.run("prefill", {1, 2}, {0, 1, 2}, {slot, copy}, logits);
  };
  const char *functions[] = {
#define K3_NAME(name, parameters) #name,
      K3_CUDA_FUNCTIONS(K3_NAME)
#undef K3_NAME
  };
  size_t points = 0;
  for (const char *function : functions)
    for (int result : {2, 1, 999, 719}) {
      std::string name = function;
      // What gives back cannot be refused, and its result is not looked at.
      bool givesBack = name.find("Free") != std::string::npos ||
                       name.find("Destroy") != std::string::npos ||
                       name.find("Release") != std::string::npos ||
                       name.find("Unload") != std::string::npos ||
                       name.find("Pop") != std::string::npos ||
                       name.find("Exchange") != std::string::npos ||
                       name.find("GetError") != std::string::npos ||
                       name == "cuEventSynchronize" ||
                       name == "cuMemGetInfo_v2";
      for (int64_t n = 1; !givesBack; ++n) {
        std::string script = "fail=" + name + ":" + std::to_string(n) + ":" +
                             std::to_string(result);
        fakeCuda().script(script.c_str());
        SCOPED_TRACE(script);
        bool reached = false, wasLost = false;
        {
          DeviceRuntime gpu(artefact, folder.path, Options(), true);
          k3_code code = gpu.code == K3_OK ? work(gpu) : gpu.code;
          std::string text = gpu.code == K3_OK ? k3rt_last_error() : gpu.error;
          reached = fakeCuda().calls(function) >= n;
          if (code != K3_OK) {
            ++points;
            ASSERT_EQ(text.rfind("error[K3-E09", 0), 0u) << text;
            wasLost = text.find("K3-E0912") != std::string::npos ||
                      text.find("K3-E0914") != std::string::npos;
            if (gpu.code == K3_OK && !wasLost) {
              // The session works: a fresh slot gives right numbers.
              int32_t slot = -1;
              ASSERT_EQ(k3rt_slot_create(gpu.session, &slot), K3_OK);
              ASSERT_EQ(gpu.logits("score", {6}, {0, 1}, {slot})[0], 6);
            }
          } else if (reached) {
            // The only calls whose failure changes nothing come at the end.
            ASSERT_TRUE(endsWith(script, ":1:719") || result != 719) << code;
          }
        }
        ASSERT_STREQ(fakeCuda().violation(), "");
        // Without its context nothing can be given back.
        if (!wasLost && result != 719 && name != "cuCtxPushCurrent_v2") {
          ASSERT_EQ(fakeCuda().live(""), 0);
        }
        if (!reached)
          break;
      }
    }
  EXPECT_GT(points, 400u);
  fakeCuda().script("");
}
