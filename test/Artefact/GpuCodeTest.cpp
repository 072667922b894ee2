// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the writer makes of GPU code is what the reader accepts, and what the
// reader would refuse the writer refuses.

#include "k3/Artefact/GpuCode.h"
#include "runtime/format/ArtefactReader.h"
#include "runtime/format/ArtefactWriter.h"
#include "runtime/format/Artefact_generated.h"

#include <gtest/gtest.h>

using namespace k3;

namespace {

/// Two kernels, each launched once with one buffer and one dimension.
plan::Artefact smallPlan() {
  plan::Artefact artefact;
  artefact.sourceSha256 = std::string(64, '5');
  artefact.precision = "f32";
  artefact.symbols = {"T"};
  plan::Entry &entry = artefact.entries.emplace_back();
  entry.name = "twice";
  plan::Tensor tensor{"x", plan::DType::F32, {{0, 0}}};
  entry.inputs.push_back({tensor, plan::Role::Plain});
  for (const char *symbol : {"scale", "shift"}) {
    plan::Command &command = entry.commands.emplace_back();
    command.kernel = int(artefact.kernels.size());
    command.buffers = {{plan::Place::Input, 0}};
    command.dims = {0};
    artefact.kernels.push_back({symbol, 0, ""});
  }
  return artefact;
}

GpuKernelCode kernelCode(const std::string &symbol) {
  GpuKernelCode kernel;
  kernel.kernel = symbol;
  kernel.entry = symbol + "_kernel";
  kernel.ptx = "// both kernels";
  kernel.cubin = "machine code of " + symbol;
  kernel.threads = 256;
  kernel.scratch = 128;
  kernel.grid = plan::GpuGrid{0, 32, 2};
  return kernel;
}

GpuCode smallCode() {
  GpuCode code{"sm_90a", 13000, {}};
  code.kernels = {kernelCode("scale"), kernelCode("shift")};
  return code;
}

template <class Change> void refuse(const std::string &part, Change change) {
  SCOPED_TRACE(part);
  GpuCode code = smallCode();
  change(code);
  plan::Artefact artefact = smallPlan();
  std::string section;
  Status status = addGpuCode(code, artefact, section);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.number(), 542);
  EXPECT_NE(status.render().find(part), std::string::npos) << status.render();
  EXPECT_TRUE(artefact.code.empty());
}

} // namespace

TEST(GpuCodeWriter, WhatItWritesIsRead) {
  plan::Artefact artefact = smallPlan();
  std::string section, index, bytes;
  ASSERT_TRUE(addGpuCode(smallCode(), artefact, section).ok());
  ASSERT_TRUE(writeIndex(artefact, index).ok());
  SectionBytes sections[] = {{"index", index}, {"sm_90a", section}};
  ASSERT_TRUE(makeArtefact(sections, bytes).ok());
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  ArtefactView view;
  Status status = readArtefact(copy, view);
  ASSERT_TRUE(status.ok()) << status.render();
  const artefact::CodeObject &code = *view.index->code()->Get(0);
  EXPECT_EQ(code.driver(), 13000u);
  // The PTX of both kernels is one image.
  ASSERT_EQ(code.images()->size(), 3u);
  const artefact::GpuKernel &kernel = *code.gpu_kernels()->Get(1);
  EXPECT_EQ(kernel.kernel(), 1);
  EXPECT_EQ(kernel.entry()->str(), "shift_kernel");
  EXPECT_EQ(kernel.ptx(), code.gpu_kernels()->Get(0)->ptx());
  EXPECT_EQ(kernel.threads(), 256u);
  EXPECT_EQ(kernel.scratch(), 128u);
  ASSERT_TRUE(kernel.grid());
  EXPECT_EQ(kernel.grid()->tile(), 32);
  const artefact::GpuImage &image =
      *code.images()->Get(unsigned(kernel.cubin()));
  EXPECT_EQ(section.substr(image.offset(), image.bytes()),
            "machine code of shift");
}

TEST(GpuCodeWriter, RefusesWhatAReaderWould) {
  refuse("'gpu' is no GPU target", [](GpuCode &c) { c.target = "gpu"; });
  refuse("there is no code for it", [](GpuCode &c) { c.kernels.clear(); });
  refuse("kernel 'turn': the module has no such kernel",
         [](GpuCode &c) { c.kernels[0].kernel = "turn"; });
  refuse("kernel 'scale': it appears twice",
         [](GpuCode &c) { c.kernels[1].kernel = "scale"; });
  refuse("it has no entry or no image",
         [](GpuCode &c) { c.kernels[0].entry.clear(); });
  refuse("it has no entry or no image", [](GpuCode &c) {
    c.kernels[0].ptx.clear();
    c.kernels[0].cubin.clear();
  });
  refuse("takes PTX only", [](GpuCode &c) { c.target = "compute_90"; });
  refuse("its PTX holds a zero byte",
         [](GpuCode &c) { c.kernels[0].ptx.push_back('\0'); });
  refuse("no device can launch it",
         [](GpuCode &c) { c.kernels[0].threads = 0; });
  refuse("no device can launch it",
         [](GpuCode &c) { c.kernels[0].scratch = 100; });
  refuse("its grid does not fit its commands",
         [](GpuCode &c) { c.kernels[0].grid->dim = 1; });
}
