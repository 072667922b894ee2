// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is taken before anything is read, so that a device that is too small
// says so at once.

#include "runtime/run/GpuModel.h"

#include "runtime/base/Escape.h"
#include "runtime/device/cuda/Upload.h"
#include "runtime/format/Artefact_generated.h"

#include <charconv>

using namespace k3;
using namespace k3::run;

Status k3::run::parseDevice(const std::string &name, int &ordinal) {
  ordinal = -1;
  if (name.empty() || name == "cpu")
    return {};
  constexpr std::string_view prefix = "cuda:";
  const char *end = name.data() + name.size();
  if (name.starts_with(prefix)) {
    auto [last, error] =
        std::from_chars(name.data() + prefix.size(), end, ordinal);
    if (error == std::errc() && last == end && ordinal >= 0)
      return {};
  }
  return Status::error(Code::BadUsage, 905,
                       "unknown device " + quote(name) +
                           " (wanted cpu, or cuda:N such as cuda:0)");
}

Status GpuModel::load(const ArtefactView &artefact, const std::string &target,
                      int ordinal, const cuda::Allocator &allocator,
                      std::unique_ptr<GpuModel> &out) {
  std::unique_ptr<GpuModel> model(new GpuModel(allocator));
  std::shared_ptr<cuda::Device> device;
  K3_TRY(cuda::Device::open(ordinal, device));
  K3_TRY(cuda::Program::load(artefact, target, device, model->code));
  K3_TRY(cuda::Queue::create(std::move(device), allocator, model->queue));
  model->space = std::make_unique<cuda::QueueSpace>(*model->queue,
                                                    cuda::MemoryUse::Weights);
  out = std::move(model);
  return {};
}

Status GpuModel::loadWeights(const artefact::Index &index,
                             const std::string &path,
                             const LoadOptions &options,
                             std::vector<Block> &out) {
  if (index.weights())
    for (const artefact::Weight *weight : *index.weights())
      K3_TRY(SpaceBlock::allocate(*space, weight->bytes(),
                                  "weight " + quote(weight->name()->str()),
                                  weights.emplace_back()));
  cuda::Upload upload(*queue);
  K3_TRY(streamWeights(
      index, path, options,
      [&](size_t number, std::span<const uint8_t> bytes) -> Status {
        cuda::Device::Use use(queue->device());
        K3_TRY(use.take());
        return upload.send(cuda::deviceAddress(weights[number].data()), bytes);
      }));
  cuda::Device::Use use(queue->device());
  K3_TRY(use.take());
  K3_TRY(queue->wait("copying weights"));
  for (const SpaceBlock &weight : weights)
    out.push_back({weight.data(), int64_t(weight.size())});
  return {};
}
