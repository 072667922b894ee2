// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of an artefact, loaded on a device and ready to be launched.

#ifndef K3_RUNTIME_DEVICE_CUDA_PROGRAM_H
#define K3_RUNTIME_DEVICE_CUDA_PROGRAM_H

#include "runtime/device/cuda/Device.h"
#include "runtime/format/ArtefactReader.h"

#include <optional>
#include <vector>

namespace k3::artefact {
struct CodeObject;
struct GpuKernel;
} // namespace k3::artefact

namespace k3::cuda {

struct Grid {
  int32_t dim = -1;
  int64_t tile = 1, multiplier = 1;
};

/// How a kernel is launched (docs/ArtefactFormat.md).
struct KernelLaunch {
  std::string symbol;
  CUfunction function = nullptr;
  unsigned threads = 1, shared = 0, cluster = 1, workgroupsPerBlock = 1;
  uint64_t scratch = 0;
  std::optional<Grid> grid;
};

class Program {
public:
  /// Chooses the code object (the one for `target` unless that is empty) and
  /// loads an image for every kernel. What the device cannot run is refused.
  static Status load(const ArtefactView &artefact, const std::string &target,
                     std::shared_ptr<Device> device,
                     std::unique_ptr<Program> &out);
  ~Program();
  Program(const Program &) = delete;

  Device &device() const { return *deviceRef; }
  const std::shared_ptr<Device> &sharedDevice() const { return deviceRef; }
  /// In the order of the index's kernels.
  const std::vector<KernelLaunch> &launches() const { return list; }
  const std::string &target() const { return codeTarget; }

private:
  Program(std::shared_ptr<Device> device) : deviceRef(std::move(device)) {}
  Status loadKernel(const artefact::CodeObject &code,
                    std::span<const uint8_t> section,
                    const artefact::GpuKernel &kernel, bool useCubin);
  Status loadImage(const artefact::CodeObject &code,
                   std::span<const uint8_t> section, int32_t image,
                   CUmodule &out);
  Status prepare(KernelLaunch &launch);

  std::shared_ptr<Device> deviceRef;
  std::string codeTarget;
  std::vector<CUmodule> modules; // by image, null: not loaded
  std::vector<KernelLaunch> list;
};

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_PROGRAM_H
