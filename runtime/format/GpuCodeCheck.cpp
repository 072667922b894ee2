// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images lie back to back; every number of a launch is one that some device
// could run; parameters fit every command that launches the kernel.

#include "runtime/format/GpuCodeCheck.h"

#include "runtime/base/Escape.h"
#include "runtime/format/GpuCode.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace k3;
using namespace k3::artefact;

namespace {

template <class List> size_t sizeOf(const List *list) {
  return list ? list->size() : 0;
}

std::string number(int64_t value) { return std::to_string(value); }

/// What the commands that launch a kernel have in common.
struct LaunchShape {
  uint64_t leastDims = UINT64_MAX, mostParameters = 0;
};

class GpuCodeCheck {
public:
  GpuCodeCheck(IndexWork &work, const Index &index, const CodeObject &code,
               std::span<const uint8_t> section, const std::string &what)
      : work(work), index(index), code(code), section(section), what(what) {}

  Status run() {
    std::optional<GpuCapability> target =
        parseGpuCapability(code.target()->str());
    if (!target) {
      if (sizeOf(code.images()) || sizeOf(code.gpu_kernels()) || code.driver())
        return refuseIndex(what + " is not for a GPU, but has launches, "
                                  "images or a driver version");
      return {};
    }
    isVirtual = target->isVirtual;
    K3_TRY(checkImages());
    K3_TRY(readLaunches());
    std::vector<bool> seen(shapes.size());
    K3_TRY(work.pay(sizeOf(code.gpu_kernels())));
    for (size_t i = 0; i < sizeOf(code.gpu_kernels()); ++i) {
      const GpuKernel &kernel = *code.gpu_kernels()->Get(unsigned(i));
      if (kernel.kernel() < 0 || size_t(kernel.kernel()) >= shapes.size())
        return refuseIndex(what + ": launch " + number(int64_t(i)) +
                           " is of kernel " + number(kernel.kernel()) + " of " +
                           number(int64_t(shapes.size())));
      if (seen[size_t(kernel.kernel())])
        return refuse(kernel, "appears twice");
      seen[size_t(kernel.kernel())] = true;
      K3_TRY(checkKernel(kernel));
    }
    return {};
  }

private:
  Status refuse(const GpuKernel &kernel, const std::string &text) const {
    std::string name =
        index.kernels()->Get(unsigned(kernel.kernel()))->symbol()->str();
    return refuseIndex(what + ": kernel " + quote(name) + " " + text);
  }

  Status checkImages() {
    K3_TRY(checkAligned(code.images(), what + ": list of images"));
    K3_TRY(work.pay(sizeOf(code.images())));
    if (sizeOf(code.images()) == 0)
      return refuseIndex(what + " has no images");
    uint64_t end = 0;
    for (size_t i = 0; i < sizeOf(code.images()); ++i) {
      const GpuImage &image = *code.images()->Get(unsigned(i));
      std::string which = what + ": " + numbered("image", i);
      if (image.format() > GpuFormat::MAX)
        return refuseIndex(which + " has the unknown format " +
                           number(int64_t(image.format())));
      uint64_t begin = (end + gpu::imageAlignment - 1) / gpu::imageAlignment *
                       gpu::imageAlignment;
      if (image.offset() != begin)
        return refuseIndex(which + " starts at byte " +
                           std::to_string(image.offset()) + " (wanted " +
                           std::to_string(begin) + ")");
      if (begin > section.size() || image.bytes() == 0 ||
          image.bytes() > section.size() - begin)
        return refuseIndex(which + " of " + std::to_string(image.bytes()) +
                           " bytes does not fit its section of " +
                           std::to_string(section.size()));
      if (std::any_of(section.begin() + int64_t(end),
                      section.begin() + int64_t(begin),
                      [](uint8_t byte) { return byte != 0; }))
        return refuseIndex(which + " follows bytes that are not zero");
      end = begin + image.bytes();
      // A driver reads PTX up to its first zero byte.
      if (image.format() == GpuFormat::Ptx &&
          std::memchr(section.data() + begin, 0, image.bytes()) !=
              section.data() + end - 1)
        return refuseIndex(which + " is not text with one zero byte at its "
                                   "end");
    }
    if (end != section.size())
      return refuseIndex(what + ": " + std::to_string(section.size() - end) +
                         " bytes follow the last image");
    return {};
  }

  Status readLaunches() {
    shapes.resize(sizeOf(index.kernels()));
    for (size_t i = 0; i < sizeOf(index.entries()); ++i) {
      const auto *commands = index.entries()->Get(unsigned(i))->commands();
      K3_TRY(work.pay(sizeOf(commands)));
      for (size_t c = 0; c < sizeOf(commands); ++c) {
        const Command &command = *commands->Get(unsigned(c));
        if (command.kind() != CommandKind::Launch)
          continue;
        LaunchShape &shape = shapes[size_t(command.kernel())];
        uint64_t dims = sizeOf(command.dims());
        shape.leastDims = std::min(shape.leastDims, dims);
        shape.mostParameters = std::max(shape.mostParameters,
                                        dims + sizeOf(command.buffers()) + 2);
      }
    }
    return {};
  }

  /// -1, or an image of the format.
  bool isImage(int32_t image, GpuFormat format) const {
    return image == -1 ||
           (image >= 0 && size_t(image) < sizeOf(code.images()) &&
            code.images()->Get(unsigned(image))->format() == format);
  }

  Status checkKernel(const GpuKernel &kernel) {
    K3_TRY(checkName(work, kernel.entry(), what + ": entry"));
    if (!isImage(kernel.cubin(), GpuFormat::Cubin) ||
        !isImage(kernel.ptx(), GpuFormat::Ptx))
      return refuse(kernel, "has the images " + number(kernel.cubin()) +
                                " and " + number(kernel.ptx()) +
                                ", which are none of their kind");
    if (isVirtual ? kernel.ptx() < 0 || kernel.cubin() >= 0
                  : kernel.ptx() < 0 && kernel.cubin() < 0)
      return refuse(kernel, isVirtual ? "needs PTX and no cubin for its target"
                                      : "has no image");
    auto inRange = [&](const char *name, uint64_t value, uint64_t least,
                       uint64_t most) {
      if (value >= least && value <= most)
        return Status();
      return refuse(kernel, std::string("has ") + name + " " +
                                std::to_string(value) + " (wanted " +
                                std::to_string(least) + " to " +
                                std::to_string(most) + ")");
    };
    K3_TRY(inRange("threads", kernel.threads(), 1, gpu::mostThreads));
    K3_TRY(inRange("shared memory", kernel.shared(), 0, gpu::mostShared));
    K3_TRY(inRange("cluster", kernel.cluster(), 1, gpu::mostCluster));
    K3_TRY(inRange("workgroups per block", kernel.workgroups_per_block(), 1,
                   gpu::mostWorkgroupsPerBlock));
    K3_TRY(inRange("scratch", kernel.scratch(), 0, gpu::mostScratch));
    if (kernel.scratch() % gpu::scratchAlignment != 0)
      return refuse(kernel, "has scratch " + std::to_string(kernel.scratch()) +
                                " (wanted a multiple of 64)");
    const LaunchShape &shape = shapes[size_t(kernel.kernel())];
    K3_TRY(inRange("parameters", shape.mostParameters, 0, gpu::mostParameters));
    return checkGrid(kernel, shape);
  }

  Status checkGrid(const GpuKernel &kernel, const LaunchShape &shape) const {
    const GpuGrid *grid = kernel.grid();
    if (!grid)
      return {};
    if (grid->tile() < 1 || grid->multiplier() < 1 ||
        grid->multiplier() > gpu::mostMultiplier)
      return refuse(kernel, "has a grid of tile " + number(grid->tile()) +
                                " and multiplier " +
                                number(grid->multiplier()));
    if (grid->dim() < -1 ||
        (grid->dim() >= 0 && uint64_t(grid->dim()) >= shape.leastDims))
      return refuse(kernel, "has a grid over dimension " + number(grid->dim()) +
                                ", which a command does not give");
    return {};
  }

  IndexWork &work;
  const Index &index;
  const CodeObject &code;
  std::span<const uint8_t> section;
  const std::string &what;
  bool isVirtual = false;
  std::vector<LaunchShape> shapes;
};

} // namespace

Status k3::checkGpuCode(IndexWork &work, const Index &index,
                        const CodeObject &code,
                        std::span<const uint8_t> section,
                        const std::string &what) {
  return GpuCodeCheck(work, index, code, section, what).run();
}
