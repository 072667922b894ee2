// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a model that lives on a GPU: code and weights.

#ifndef K3_RUNTIME_RUN_GPUMODEL_H
#define K3_RUNTIME_RUN_GPUMODEL_H

#include "runtime/device/cuda/Program.h"
#include "runtime/device/cuda/Queue.h"
#include "runtime/run/StepList.h"
#include "runtime/weights/WeightsLoader.h"

namespace k3::run {

/// Immutable once loaded.
class GpuModel {
public:
  /// Opens the device and loads the kernels of `artefact`.
  static Status load(const ArtefactView &artefact, const std::string &target,
                     int ordinal, const cuda::Allocator &allocator,
                     std::unique_ptr<GpuModel> &out);

  /// Takes memory for all weights, then fills it from the checkpoint.
  Status loadWeights(const artefact::Index &index, const std::string &path,
                     const LoadOptions &options, std::vector<Block> &out);

  const cuda::Program &program() const { return *code; }
  const cuda::Allocator &allocator() const { return memory; }

private:
  explicit GpuModel(const cuda::Allocator &allocator) : memory(allocator) {}

  cuda::Allocator memory;
  std::unique_ptr<cuda::Program> code;
  std::unique_ptr<cuda::Queue> queue;
  std::unique_ptr<cuda::QueueSpace> space;
  std::vector<SpaceBlock> weights;
};

/// The number N of "cuda:N"; -1 for "cpu" and the empty name.
Status parseDevice(const std::string &name, int &ordinal);

} // namespace k3::run

#endif // K3_RUNTIME_RUN_GPUMODEL_H
