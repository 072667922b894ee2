// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index is unpacked, gets one more code object, and is packed again.

#include "test/support/FakeGpuArtefact.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/format/ArtefactReader.h"
#include "runtime/format/ArtefactWriter.h"
#include "runtime/format/Artefact_generated.h"
#include "test/support/FakeImage.h"

#include <memory>

using namespace k3;
using namespace k3::fake;
namespace fb = k3::artefact;

namespace {

/// A command that launches the kernel, or null.
const fb::CommandT *findLaunch(const fb::IndexT &index, size_t kernel) {
  for (const auto &entry : index.entries)
    for (const auto &command : entry->commands)
      if (command->kind == fb::CommandKind::Launch &&
          size_t(command->kernel) == kernel)
        return command.get();
  return nullptr;
}

ImageKernel imageKernel(const fb::IndexT &index, size_t number,
                        const GpuChange &change) {
  const fb::KernelT &kernel = *index.kernels[number];
  ImageKernel image;
  image.symbol = kernel.symbol;
  image.entry = kernel.symbol + "_gpu";
  image.scratch = (kernel.scratch + 63) / 64 * 64;
  image.threads = change.threads;
  image.workgroupsPerBlock = change.workgroupsPerBlock;
  if (const fb::CommandT *command = findLaunch(index, number)) {
    image.buffers = uint32_t(command->buffers.size());
    image.dims = uint32_t(command->dims.size());
  }
  return image;
}

std::unique_ptr<fb::GpuGrid> gridOf(const fb::CommandT &command) {
  int dim = -1;
  for (size_t i = 0; i < command.dims.size(); ++i)
    if (command.dims[i] == command.grid_symbol)
      dim = int(i);
  if (command.grid_symbol >= 0 && dim < 0)
    return nullptr;
  return std::make_unique<fb::GpuGrid>(dim, command.grid_tile,
                                       command.grid_multiplier);
}

} // namespace

Status k3::fake::addFakeGpuCode(const std::string &artefact,
                                const GpuChange &change, std::string &out) {
  // The reader wants the bytes aligned, as a file in memory is.
  std::vector<uint8_t> bytes(artefact.begin(), artefact.end());
  ArtefactView view;
  K3_TRY(readArtefact(bytes, view));
  std::unique_ptr<fb::IndexT> index(view.index->UnPack());
  std::string source =
      change.source.empty() ? index->code.front()->section : change.source;
  std::span<const uint8_t> object = view.section(source);
  bool isPtx = !change.ptxFile.empty() || !change.ptx.empty();

  std::vector<ImageKernel> kernels;
  auto code = std::make_unique<fb::CodeObjectT>();
  code->target = code->section = change.target;
  code->driver = change.driver;
  for (size_t i = 0; i < index->kernels.size(); ++i) {
    kernels.push_back(imageKernel(*index, i, change));
    if (kernels.back().symbol == change.withoutKernel)
      continue;
    auto launch = std::make_unique<fb::GpuKernelT>();
    launch->kernel = int32_t(i);
    launch->entry = kernels.back().entry;
    if (kernels.back().symbol == change.wrongEntry)
      launch->entry += "_other";
    (isPtx ? launch->ptx : launch->cubin) = 0;
    launch->threads = change.threads;
    launch->shared = change.shared;
    launch->cluster = change.cluster;
    launch->workgroups_per_block = change.workgroupsPerBlock;
    launch->scratch = kernels.back().scratch;
    const fb::CommandT *command = findLaunch(*index, i);
    if (change.withGrid && command)
      launch->grid = gridOf(*command);
    code->gpu_kernels.push_back(std::move(launch));
  }
  std::string image = fakeCubin(
      kernels, {reinterpret_cast<const char *>(object.data()), object.size()});
  if (change.damaged)
    image[0] ^= 1;
  if (!change.ptxFile.empty()) {
    K3_TRY(writeFile(change.ptxFile, image));
    image = fakePtx(change.ptxFile) + '\0';
  }
  if (!change.ptx.empty())
    image = change.ptx + '\0';
  code->images = {fb::GpuImage(
      isPtx ? fb::GpuFormat::Ptx : fb::GpuFormat::Cubin, 0, image.size())};
  index->code.push_back(std::move(code));

  flatbuffers::FlatBufferBuilder builder;
  fb::FinishIndexBuffer(builder, fb::Index::Pack(builder, index.get()));
  std::string_view packed(
      reinterpret_cast<const char *>(builder.GetBufferPointer()),
      builder.GetSize());
  std::vector<SectionBytes> sections = {{"index", packed}};
  for (const ArtefactSection &section : view.sections)
    if (section.name != "index")
      sections.push_back({section.name,
                          {reinterpret_cast<const char *>(section.bytes.data()),
                           section.bytes.size()}});
  sections.push_back({change.target, image});
  return makeArtefact(sections, out);
}
