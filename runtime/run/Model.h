// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artefact made ready: its plan, its kernels and its weights in memory.

#ifndef K3_RUNTIME_RUN_MODEL_H
#define K3_RUNTIME_RUN_MODEL_H

#include "runtime/base/Status.h"
#include "runtime/device/cpu/Kernel.h"
#include "runtime/device/cpu/SharedObject.h"
#include "runtime/run/GpuModel.h"
#include "runtime/run/Plan.h"
#include "runtime/run/StepList.h"

#include <memory>
#include <string>
#include <vector>

namespace k3::artefact {
struct Index;
}

namespace k3::run {

struct ModelOptions {
  std::string weightsDir;
  /// The code object to use; empty picks the best for the device.
  std::string target;
  /// "cpu" (or empty) or "cuda:N".
  std::string device;
  /// Of a GPU's memory; empty: the driver's.
  cuda::Allocator allocator;
  bool allowNonfinite = false;
  void (*progress)(void *user, uint64_t done, uint64_t total) = nullptr;
  void *progressUser = nullptr;
};

/// Immutable once loaded; any number of sessions and threads share one.
class Model {
public:
  static Status load(const std::string &path, const ModelOptions &options,
                     std::shared_ptr<const Model> &out);
  ~Model();

  const ModelPlan &plan() const { return modelPlan; }
  const std::vector<cpu::KernelFn> &kernels() const { return functions; }
  const std::vector<Block> &weights() const { return weightBlocks; }
  /// Scratch bytes that a worker needs for any kernel.
  uint64_t scratchBytes() const { return scratch; }
  /// Code and weights on a GPU; null on the CPU.
  const GpuModel *gpu() const { return gpuModel.get(); }
  /// The target of the code object in use, "x86-64-v4".
  const std::string &target() const { return codeTarget; }

  /// The entry with that name, or an error that lists the names.
  Status findEntry(const std::string &name, const EntryPlan *&out) const;

private:
  Model();
  Status loadFrom(const std::string &path, const ModelOptions &options);
  Status loadCode(const artefact::Index &index, const std::string &target);

  Status loadOnCpu(const ModelOptions &options);
  Status loadOnGpu(int ordinal, const ModelOptions &options);

  struct Storage; // the artefact's and the weights' memory
  std::unique_ptr<Storage> storage;
  ModelPlan modelPlan;
  std::unique_ptr<GpuModel> gpuModel;
  cpu::SharedObject code;
  std::vector<cpu::KernelFn> functions;
  std::vector<Block> weightBlocks;
  uint64_t scratch = 0;
  std::string codeTarget;
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_MODEL_H
