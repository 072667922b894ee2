// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of a GPU target, back to back, each once, and the launches that name
// them.

#include "k3/Artefact/GpuCode.h"

#include "runtime/format/GpuCode.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace k3;

namespace {

class GpuCodeWriter {
public:
  GpuCodeWriter(const GpuCode &code, const plan::Artefact &artefact)
      : code(code), artefact(artefact) {}

  Status run(plan::Code &out, std::string &section) {
    target = parseGpuCapability(code.target);
    if (!target)
      return refuse("'" + code.target + "' is no GPU target");
    out.target = code.target;
    out.driver = code.driver;
    for (const GpuKernelCode &kernel : code.kernels) {
      K3_TRY(check(kernel).in("kernel '" + kernel.kernel + "'"));
      plan::GpuKernel &planned = out.gpuKernels.emplace_back();
      planned.kernel = numberOf(kernel.kernel);
      planned.entry = kernel.entry;
      planned.threads = kernel.threads;
      planned.shared = kernel.shared;
      planned.cluster = kernel.cluster;
      planned.workgroupsPerBlock = kernel.workgroupsPerBlock;
      planned.scratch = kernel.scratch;
      planned.grid = kernel.grid;
      if (!kernel.cubin.empty())
        planned.cubin =
            add(plan::GpuFormat::Cubin, kernel.cubin, out.images, section);
      if (!kernel.ptx.empty())
        planned.ptx =
            add(plan::GpuFormat::Ptx, kernel.ptx + '\0', out.images, section);
    }
    return out.images.empty() ? refuse("there is no code for it") : Status();
  }

private:
  static Status refuse(const std::string &text) {
    return Status::error(Code::Internal, 542, text);
  }

  int numberOf(llvm::StringRef symbol) const {
    for (auto [number, kernel] : llvm::enumerate(artefact.kernels))
      if (kernel.symbol == symbol)
        return int(number);
    return -1;
  }

  /// Of the commands that launch a kernel.
  struct Shape {
    size_t leastDims = SIZE_MAX, mostParameters = 0;
  };
  Shape shapeOf(int kernel) const {
    Shape shape;
    for (const plan::Entry &entry : artefact.entries)
      for (const plan::Command &command : entry.commands)
        if (command.kernel == kernel) {
          shape.leastDims = std::min(shape.leastDims, command.dims.size());
          shape.mostParameters =
              std::max(shape.mostParameters,
                       command.dims.size() + command.buffers.size() + 2);
        }
    return shape;
  }

  Status check(const GpuKernelCode &kernel) {
    int number = numberOf(kernel.kernel);
    if (number < 0)
      return refuse("the module has no such kernel");
    if (!seen.insert(kernel.kernel).second)
      return refuse("it appears twice");
    if (kernel.entry.empty() || (kernel.ptx.empty() && kernel.cubin.empty()))
      return refuse("it has no entry or no image");
    if (target->isVirtual && (kernel.ptx.empty() || !kernel.cubin.empty()))
      return refuse("a target without a machine takes PTX only");
    if (llvm::StringRef(kernel.ptx).contains('\0'))
      return refuse("its PTX holds a zero byte");
    auto within = [](uint64_t value, uint64_t least, uint64_t most) {
      return value >= least && value <= most;
    };
    Shape shape = shapeOf(number);
    if (!within(kernel.threads, 1, gpu::mostThreads) ||
        !within(kernel.shared, 0, gpu::mostShared) ||
        !within(kernel.cluster, 1, gpu::mostCluster) ||
        !within(kernel.workgroupsPerBlock, 1, gpu::mostWorkgroupsPerBlock) ||
        !within(kernel.scratch, 0, gpu::mostScratch) ||
        kernel.scratch % gpu::scratchAlignment != 0 ||
        shape.mostParameters > gpu::mostParameters)
      return refuse("no device can launch it as it says");
    if (kernel.grid &&
        (kernel.grid->tile < 1 ||
         !within(uint64_t(kernel.grid->multiplier), 1, gpu::mostMultiplier) ||
         kernel.grid->dim < -1 ||
         (kernel.grid->dim >= 0 &&
          size_t(kernel.grid->dim) >= shape.leastDims)))
      return refuse("its grid does not fit its commands");
    return {};
  }

  /// The number of an image, which is added when it is new.
  int add(plan::GpuFormat format, const std::string &bytes,
          std::vector<plan::GpuImage> &images, std::string &section) {
    auto [known, isNew] =
        numbers[unsigned(format)].try_emplace(bytes, int(images.size()));
    if (isNew) {
      section.resize(llvm::alignTo(section.size(), gpu::imageAlignment), '\0');
      images.push_back({format, section.size(), bytes.size()});
      section += bytes;
    }
    return known->second;
  }

  const GpuCode &code;
  const plan::Artefact &artefact;
  std::optional<GpuCapability> target;
  llvm::StringSet<> seen;
  llvm::StringMap<int> numbers[2];
};

} // namespace

Status k3::addGpuCode(const GpuCode &code, plan::Artefact &artefact,
                      std::string &section) {
  plan::Code planned;
  section.clear();
  K3_TRY(GpuCodeWriter(code, artefact)
             .run(planned, section)
             .in("code for " + code.target));
  artefact.code.push_back(std::move(planned));
  return {};
}
