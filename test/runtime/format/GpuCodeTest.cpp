// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU code objects of an index, one fault a test, and the names of targets.

#include "runtime/format/GpuCode.h"
#include "runtime/format/ArtefactReader.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/format/SmallArtefact.h"

using namespace k3;
using namespace k3::test;
namespace fb = k3::artefact;

namespace {

/// Changes the GPU code object of the small artefact.
template <class Change>
void refuse(const std::string &part, Change change,
            std::string section = gpuSection()) {
  SCOPED_TRACE(part);
  fb::IndexT index = gpuIndex();
  change(*index.code[1]);
  expectError(read(gpuArtefactAround(bytesOf(index), section)), 312,
              "code for 'sm_90a': " + part);
}

/// The same for its only kernel.
template <class Change>
void refuseKernel(const std::string &part, Change change) {
  refuse("kernel 'linear_0' " + part,
         [&](fb::CodeObjectT &code) { change(*code.gpu_kernels[0]); });
}

constexpr auto nothing = [](fb::CodeObjectT &) {};

} // namespace

TEST(GpuCode, ImagesLieBackToBack) {
  refuse("image 1 starts at byte 128 (wanted 64)", [](fb::CodeObjectT &c) {
    c.images[1] = fb::GpuImage(fb::GpuFormat::Ptx, 128, 8);
  });
  refuse("image 0 starts at byte 18446744073709551552 (wanted 0)",
         [](fb::CodeObjectT &c) {
           c.images[0] = fb::GpuImage(fb::GpuFormat::Cubin, -64ull, 17);
         });
  refuse("image 1 of 9 bytes does not fit its section of 72",
         [](fb::CodeObjectT &c) {
           c.images[1] = fb::GpuImage(fb::GpuFormat::Ptx, 64, 9);
         });
  refuse("image 1 of 0 bytes", [](fb::CodeObjectT &c) {
    c.images[1] = fb::GpuImage(fb::GpuFormat::Ptx, 64, 0);
  });
  refuse("image 0 of 18446744073709551615 bytes", [](fb::CodeObjectT &c) {
    c.images[0] = fb::GpuImage(fb::GpuFormat::Cubin, 0, UINT64_MAX);
  });
  refuse("image 0 has the unknown format 9", [](fb::CodeObjectT &c) {
    c.images[0] = fb::GpuImage(fb::GpuFormat(9), 0, 17);
  });
  std::string section = gpuSection();
  section[63] = 'x';
  refuse("image 1 follows bytes that are not zero", nothing, section);
  refuse("3 bytes follow the last image", nothing, gpuSection() + "abc");
}

TEST(GpuCode, PtxIsText) {
  std::string open = gpuSection(), cut = gpuSection();
  open.back() = 'x';
  cut[66] = '\0';
  for (const std::string &section : {open, cut})
    refuse("image 1 is not text with one zero byte at its end", nothing,
           section);
}

TEST(GpuCode, KernelsHaveImagesOfTheirKind) {
  auto images = [](int cubin, int ptx) {
    return [=](fb::GpuKernelT &k) {
      k.cubin = cubin;
      k.ptx = ptx;
    };
  };
  refuseKernel("has the images 1 and 1, which are none", images(1, 1));
  refuseKernel("has the images 0 and 0", images(0, 0));
  refuseKernel("has the images 0 and 2", images(0, 2));
  refuseKernel("has the images -2 and 1", images(-2, 1));
  refuseKernel("has no image", images(-1, -1));
}

TEST(GpuCode, NamesOfKernels) {
  refuse("launch 0 is of kernel 1 of 1",
         [](fb::CodeObjectT &c) { c.gpu_kernels[0]->kernel = 1; });
  refuse("launch 0 is of kernel -1 of 1",
         [](fb::CodeObjectT &c) { c.gpu_kernels[0]->kernel = -1; });
  refuse("kernel 'linear_0' appears twice", [](fb::CodeObjectT &c) {
    c.gpu_kernels.push_back(
        std::make_unique<fb::GpuKernelT>(*c.gpu_kernels[0]));
  });
  refuse("entry is empty",
         [](fb::CodeObjectT &c) { c.gpu_kernels[0]->entry = ""; });
  refuse("entry is not UTF-8",
         [](fb::CodeObjectT &c) { c.gpu_kernels[0]->entry = "\xff"; });
}

// A11: what no device could run.
TEST(GpuCode, LaunchGeometry) {
  using K = fb::GpuKernelT;
  refuseKernel("has threads 0 (wanted 1 to 1024)", [](K &k) { k.threads = 0; });
  refuseKernel("has threads 1025", [](K &k) { k.threads = 1025; });
  refuseKernel("has shared memory 1048577 (wanted 0 to 1048576)",
               [](K &k) { k.shared = (1 << 20) + 1; });
  refuseKernel("has cluster 0 (wanted 1 to 16)", [](K &k) { k.cluster = 0; });
  refuseKernel("has cluster 17", [](K &k) { k.cluster = 17; });
  refuseKernel("has workgroups per block 0",
               [](K &k) { k.workgroups_per_block = 0; });
  refuseKernel("has scratch 1099511627776",
               [](K &k) { k.scratch = uint64_t(1) << 40; });
  refuseKernel("has scratch 100 (wanted a multiple of 64)",
               [](K &k) { k.scratch = 100; });
  refuseKernel("has a grid of tile 0 and multiplier 2",
               [](K &k) { *k.grid = fb::GpuGrid(0, 0, 2); });
  refuseKernel("has a grid of tile 1 and multiplier 4294967296",
               [](K &k) { *k.grid = fb::GpuGrid(0, 1, int64_t(1) << 32); });
  refuseKernel("has a grid over dimension 1, which a command does not give",
               [](K &k) { *k.grid = fb::GpuGrid(1, 1, 1); });
  refuseKernel("has a grid over dimension -2",
               [](K &k) { *k.grid = fb::GpuGrid(-2, 1, 1); });
}

TEST(GpuCode, ParametersFitALaunch) {
  fb::IndexT index = gpuIndex();
  index.entries[0]->commands[0]->buffers.assign(
      510, fb::Buffer(fb::Place::Input, 0, 0));
  expectError(read(gpuArtefact(index)), 312,
              "kernel 'linear_0' has parameters 513 (wanted 0 to 512)");
}

TEST(GpuCode, TargetsAndTheirImages) {
  fb::IndexT index = gpuIndex();
  index.code[1]->target = "compute_80";
  expectError(read(gpuArtefact(index)), 312,
              "'linear_0' needs PTX and no cubin for its target");
  index.code[1]->gpu_kernels[0]->cubin = -1;
  Status status = read(gpuArtefact(index));
  EXPECT_TRUE(status.ok()) << status.render();
  index.code[1]->target = "x86-64-v4";
  expectError(read(gpuArtefact(index)), 312, "is not for a GPU");
  index.code[1]->target = "sm_90a";
  index.code[1]->images.clear();
  expectError(read(gpuArtefact(index)), 312, "has no images");
}

TEST(GpuCapability, Names) {
  auto target = parseGpuCapability("sm_90a");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->major, 9);
  EXPECT_EQ(target->minor, 0);
  EXPECT_EQ(target->suffix, 'a');
  EXPECT_FALSE(target->isVirtual);
  target = parseGpuCapability("compute_103");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->major, 10);
  EXPECT_EQ(target->minor, 3);
  EXPECT_TRUE(target->isVirtual);
  for (const char *name :
       {"", "sm_", "sm_9", "sm_a", "sm_90b", "sm_9000", "sm_-90", "sm_090",
        "sm_90aa", "x86-64-v3", "compute_", "SM_90", "sm_9 0"})
    EXPECT_FALSE(parseGpuCapability(name)) << name;
}

TEST(GpuCapability, RunsOnItsMachines) {
  auto fits = [](const char *name, int major, int minor) {
    return parseGpuCapability(name)->fits(major, minor);
  };
  EXPECT_TRUE(fits("sm_90a", 9, 0));
  EXPECT_FALSE(fits("sm_100a", 10, 3));
  EXPECT_TRUE(fits("sm_100f", 10, 3));
  EXPECT_TRUE(fits("sm_80", 8, 6));
  EXPECT_FALSE(fits("sm_86", 8, 0));
  EXPECT_FALSE(fits("sm_80", 9, 0));
  EXPECT_FALSE(fits("compute_80", 8, 0));
  auto compiles = [](const char *name, int major, int minor) {
    return parseGpuCapability(name)->compilesFor(major, minor);
  };
  EXPECT_TRUE(compiles("compute_80", 9, 0));
  EXPECT_FALSE(compiles("compute_90", 8, 9));
  EXPECT_TRUE(compiles("sm_90a", 9, 0));
  EXPECT_FALSE(compiles("sm_90a", 10, 0));
  EXPECT_TRUE(compiles("compute_100f", 10, 3));
  EXPECT_FALSE(compiles("compute_100f", 12, 0));
}
