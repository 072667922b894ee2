// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written with the FlatBuffers object API.

#include "test/runtime/format/SmallArtefact.h"

#include "runtime/base/Sha256.h"
#include "runtime/format/ArtefactReader.h"
#include "runtime/format/ArtefactWriter.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace k3;
using namespace k3::test;
namespace fb = k3::artefact;

namespace {

template <class T> std::unique_ptr<T> copyOf(const T &value) {
  return std::make_unique<T>(value);
}

std::unique_ptr<fb::TensorT> tensor(const std::string &name, fb::DType dtype,
                                    std::vector<fb::Dim> dims) {
  auto made = std::make_unique<fb::TensorT>();
  made->name = name;
  made->dtype = dtype;
  made->dims = std::move(dims);
  return made;
}

std::unique_ptr<fb::ArgumentT> argument(std::unique_ptr<fb::TensorT> tensor,
                                        fb::Role role) {
  auto made = std::make_unique<fb::ArgumentT>();
  made->tensor = std::move(tensor);
  made->role = role;
  return made;
}

std::unique_ptr<fb::WeightT> weight(const std::string &name, fb::DType dtype,
                                    std::vector<int64_t> shape,
                                    fb::Packing packing, uint64_t bytes) {
  auto made = std::make_unique<fb::WeightT>();
  made->name = name;
  made->dtype = made->source_dtype = dtype;
  made->shape = made->source_shape = std::move(shape);
  made->packing = packing;
  made->bytes = bytes;
  made->source = name + ".weight";
  return made;
}

std::unique_ptr<fb::EntryT> entry() {
  auto made = std::make_unique<fb::EntryT>();
  made->name = "score";
  made->inputs.push_back(
      argument(tensor("tokens", fb::DType::I32, {{0, 0}}), fb::Role::Tokens));
  made->inputs.push_back(argument(
      tensor("x", fb::DType::F32, {{0, 0}, {-1, 4}}), fb::Role::Plain));
  made->outputs.push_back(tensor("y", fb::DType::F32, {{0, 0}, {-1, 4}}));
  made->arena = {{0, 16, 0}, {-1, 0, 256}};
  made->updates = {{0, 1}};
  auto launch = std::make_unique<fb::CommandT>();
  launch->kernel = 0;
  launch->buffers = {{fb::Place::Input, 0, 0},
                     {fb::Place::Weight, 1, 0},
                     {fb::Place::State, 0, 0},
                     {fb::Place::Arena, 1, 64},
                     {fb::Place::Output, 0, 0}};
  launch->dims = {0};
  launch->grid_symbol = 0;
  launch->grid_tile = 4;
  launch->label = "linear";
  made->commands.push_back(std::move(launch));
  auto copy = std::make_unique<fb::CommandT>();
  copy->kind = fb::CommandKind::Copy;
  copy->buffers = {{fb::Place::Input, 1, 0}, {fb::Place::Output, 0, 0}};
  copy->bytes = copyOf(fb::Extent(0, 16, 0));
  made->commands.push_back(std::move(copy));
  auto fill = std::make_unique<fb::CommandT>();
  fill->kind = fb::CommandKind::Fill;
  fill->buffers = {{fb::Place::Arena, 0, 0}};
  fill->bytes = copyOf(fb::Extent(-1, 0, 16));
  made->commands.push_back(std::move(fill));
  return made;
}

const std::string cubin = "\x7f"
                          "ELF machine code";
const std::string ptx("// text\0", 8);

std::unique_ptr<fb::CodeObjectT> gpuCode() {
  auto code = std::make_unique<fb::CodeObjectT>();
  code->target = code->section = "sm_90a";
  code->driver = 12040;
  code->images = {{fb::GpuFormat::Cubin, 0, cubin.size()},
                  {fb::GpuFormat::Ptx, 64, ptx.size()}};
  auto kernel = std::make_unique<fb::GpuKernelT>();
  kernel->entry = "linear_0_gpu";
  kernel->cubin = 0;
  kernel->ptx = 1;
  kernel->threads = 128;
  kernel->shared = 200 << 10;
  kernel->cluster = 2;
  kernel->workgroups_per_block = 4;
  kernel->scratch = 256;
  kernel->grid = copyOf(fb::GpuGrid(0, 64, 2));
  code->gpu_kernels.push_back(std::move(kernel));
  return code;
}

} // namespace

std::string k3::test::gpuSection() {
  return cubin + std::string(64 - cubin.size(), '\0') + ptx;
}

fb::IndexT k3::test::smallIndex() {
  fb::IndexT index;
  index.producer = "k3-compile 0.1.0";
  index.source_sha256 = std::string(64, '5');
  index.precision = "f32";
  index.symbols = {"T", "P", "C"};
  index.slots_symbol = 1;
  index.capacity_symbol = 2;
  index.weights.push_back(
      weight("norm", fb::DType::F32, {4}, fb::Packing::None, 16));
  index.weights.push_back(
      weight("proj", fb::DType::BF16, {18, 3}, fb::Packing::PairPanels, 256));
  auto experts = weight("experts", fb::DType::U8, {2, 16, 5},
                        fb::Packing::NibblePanels, 160);
  experts->stack = 2;
  experts->source = "experts.{}.packed";
  experts->source_shape = {16, 5};
  index.weights.push_back(std::move(experts));
  auto state = std::make_unique<fb::StateT>();
  state->name = "cache";
  state->dtype = fb::DType::BF16;
  state->shape = {-1, 4};
  index.states.push_back(std::move(state));
  auto kernel = std::make_unique<fb::KernelT>();
  kernel->symbol = "linear_0";
  kernel->scratch = 256;
  kernel->source = "k3.linear";
  index.kernels.push_back(std::move(kernel));
  index.entries.push_back(entry());
  auto code = std::make_unique<fb::CodeObjectT>();
  code->target = code->section = "x86-64-v3";
  code->features = {"avx2", "fma"};
  index.code.push_back(std::move(code));
  auto pair = std::make_unique<fb::PairT>();
  pair->key = "model_type";
  pair->value = "kimi_k3";
  index.metadata.push_back(std::move(pair));
  return index;
}

fb::IndexT k3::test::gpuIndex() {
  fb::IndexT index = smallIndex();
  index.code.push_back(gpuCode());
  return index;
}

std::string k3::test::bytesOf(const fb::IndexT &index) {
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishIndexBuffer(builder, fb::Index::Pack(builder, &index));
  return {reinterpret_cast<const char *>(builder.GetBufferPointer()),
          builder.GetSize()};
}

std::string k3::test::artefactAround(const std::string &index) {
  std::string out;
  SectionBytes sections[] = {{"index", index}, {"x86-64-v3", "machine code"}};
  Status status = makeArtefact(sections, out);
  EXPECT_TRUE(status.ok()) << status.render();
  return out;
}

std::string k3::test::gpuArtefactAround(const std::string &index,
                                        const std::string &gpu) {
  std::string out;
  SectionBytes sections[] = {
      {"index", index}, {"x86-64-v3", "machine code"}, {"sm_90a", gpu}};
  Status status = makeArtefact(sections, out);
  EXPECT_TRUE(status.ok()) << status.render();
  return out;
}

std::string k3::test::smallArtefact(const fb::IndexT &index) {
  return artefactAround(bytesOf(index));
}

std::string k3::test::gpuArtefact(const fb::IndexT &index) {
  return gpuArtefactAround(bytesOf(index));
}

Status k3::test::read(const std::string &bytes) {
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  ArtefactView view;
  return readArtefact(copy, view);
}

void k3::test::fixHeaderDigest(std::string &artefact) {
  uint32_t head = 0;
  std::memcpy(&head, artefact.data(), sizeof(head));
  artefact.replace(32, 32, 32, '\0');
  Sha256 hash;
  hash.update(std::string_view(artefact).substr(0, head));
  Digest digest = hash.digest();
  std::memcpy(artefact.data() + 32, digest.data(), digest.size());
}
