// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs steps on a GPU's stream: host tensors are copied to the device and
// back, device tensors are used where they are, and steps that come again are
// replayed as a graph.

#ifndef K3_RUNTIME_RUN_CUDAEXECUTOR_H
#define K3_RUNTIME_RUN_CUDAEXECUTOR_H

#include "runtime/device/cuda/Launcher.h"
#include "runtime/device/cuda/Staging.h"
#include "runtime/run/Executor.h"
#include "runtime/run/GpuModel.h"

namespace k3::run {

class CudaExecutor final : public Executor {
public:
  static Status create(const GpuModel &model, std::unique_ptr<Executor> &out);
  ~CudaExecutor() override;

  Status usable() const override { return queue->device().usable(); }
  MemorySpace &states() override { return stateSpace; }
  Status place(const EntryPlan &entry, const Arguments &arguments,
               Blocks &blocks) override;
  Status workspace(uint64_t bytes, const std::string &what,
                   uint8_t *&out) override;
  Status run(StepList &steps, const cpu::Trace &trace,
             Progress &progress) override;
  Status wait() override;
  Status useStream(void *stream) override;
  int threads() const override { return 0; }

private:
  /// A host tensor and where its copy on the device is.
  struct Copy {
    void *host = nullptr;
    uint64_t offset = 0, bytes = 0;
  };

  CudaExecutor(std::unique_ptr<cuda::Queue> queue);

  Status checkPointer(const TensorSpec &spec, const k3_tensor &tensor);
  template <class Specs>
  Status sort(const Specs &specs, const std::vector<const k3_tensor *> &tensors,
              std::vector<Block> &blocks, std::vector<Copy> &copies,
              uint64_t &total);
  Status sendInputs();
  Status enqueue(StepList &steps, const cpu::Trace &trace, Progress &progress);
  Status fetchOutputs(StepList &steps);

  std::unique_ptr<cuda::Queue> queue;
  cuda::QueueSpace stateSpace;
  cuda::GrowingBlock inputs, outputs, arena;
  cuda::Staging staging;
  std::unique_ptr<cuda::Launcher> launcher;
  bool sync = false;
  uint64_t scratchEpoch = 0; // raised when the scratch memory moves

  // What was placed last.
  std::vector<Copy> inputCopies, outputCopies;
  uint64_t inputBytes = 0;
  bool capturing = false;
};

} // namespace k3::run

#endif // K3_RUNTIME_RUN_CUDAEXECUTOR_H
