// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are loaded once each, cubins as they are, PTX through the driver's
// compiler, whose log becomes part of the refusal.

#include "runtime/device/cuda/Program.h"

#include "runtime/base/Escape.h"
#include "runtime/device/cpu/Memory.h"
#include "runtime/device/cuda/SelectCode.h"
#include "runtime/format/Artefact_generated.h"
#include "runtime/format/GpuCode.h"

#include <algorithm>

using namespace k3;
using namespace k3::cuda;

namespace {

/// Dynamic shared memory above this must be asked for.
constexpr unsigned sharedUnasked = 48 << 10;
/// Clusters above this must be asked for.
constexpr unsigned portableCluster = 8;

std::vector<GpuVariant> variantsOf(const artefact::Index &index) {
  std::vector<GpuVariant> variants;
  if (!index.code())
    return variants;
  for (const artefact::CodeObject *code : *index.code()) {
    GpuVariant variant{code->target()->str(), code->driver(), true};
    if (code->gpu_kernels())
      for (const artefact::GpuKernel *kernel : *code->gpu_kernels())
        variant.hasPtx &= kernel->ptx() >= 0;
    variants.push_back(std::move(variant));
  }
  return variants;
}

/// Its first line, for a message.
std::string firstLine(const char *log) {
  std::string_view text(log);
  return escaped(text.substr(0, text.find('\n')));
}

} // namespace

Status Program::load(const ArtefactView &artefact, const std::string &target,
                     std::shared_ptr<Device> device,
                     std::unique_ptr<Program> &out) {
  const artefact::Index &index = *artefact.index;
  std::vector<GpuVariant> variants = variantsOf(index);
  Machine machine{device->fullName(), device->major(), device->minor(),
                  device->driver().version()};
  size_t chosen;
  K3_TRY(selectCode(variants, machine, target, chosen));
  const artefact::CodeObject &code = *index.code()->Get(unsigned(chosen));
  std::unique_ptr<Program> program(new Program(std::move(device)));
  program->codeTarget = variants[chosen].target;
  program->modules.resize(code.images() ? code.images()->size() : 0);
  for (unsigned i = 0; index.kernels() && i < index.kernels()->size(); ++i)
    program->list.emplace_back().symbol =
        index.kernels()->Get(i)->symbol()->str();
  bool fits = parseGpuCapability(program->codeTarget)
                  ->fits(machine.major, machine.minor);
  Device::Use use(*program->deviceRef);
  K3_TRY(use.take());
  if (code.gpu_kernels())
    for (const artefact::GpuKernel *kernel : *code.gpu_kernels())
      K3_TRY(program
                 ->loadKernel(code, artefact.section(code.section()->str()),
                              *kernel, fits && kernel->cubin() >= 0)
                 .in("kernel " +
                     quote(program->list[size_t(kernel->kernel())].symbol)));
  for (const KernelLaunch &launch : program->list)
    if (!launch.function)
      return Status::error(Code::BadInput, 422,
                           "the code for " + program->codeTarget +
                               " has no kernel " + quote(launch.symbol));
  out = std::move(program);
  return {};
}

Status Program::loadImage(const artefact::CodeObject &code,
                          std::span<const uint8_t> section, int32_t number,
                          CUmodule &out) {
  out = modules[size_t(number)];
  if (out)
    return {};
  const artefact::GpuImage &image = *code.images()->Get(unsigned(number));
  bool isPtx = image.format() == artefact::GpuFormat::Ptx;
  char log[4096] = {};
  int options[] = {jitErrorLogBuffer, jitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  const Api &api = device().api();
  CUresult result = api.cuModuleLoadDataEx(
      &out, section.data() + image.offset(), isPtx ? 2 : 0, options, values);
  switch (result) {
  case success:
    modules[size_t(number)] = out;
    return {};
  case invalidImage:
  case noBinaryForGpu:
  case invalidPtx:
  case unsupportedPtxVersion:
  case notFound:
    return Status::error(
        result == unsupportedPtxVersion ? Code::Environment : Code::BadInput,
        907,
        device().name() + ": the driver refuses its " +
            (isPtx ? "PTX" : "cubin") + ": " +
            device().driver().nameOf(result) +
            (log[0] ? ": " + firstLine(log) : std::string()),
        result == unsupportedPtxVersion ? "install a newer NVIDIA driver" : "");
  default:
    return device().check(result, "cuModuleLoadDataEx", "loading its code");
  }
}

Status Program::loadKernel(const artefact::CodeObject &code,
                           std::span<const uint8_t> section,
                           const artefact::GpuKernel &kernel, bool useCubin) {
  KernelLaunch &launch = list[size_t(kernel.kernel())];
  if (!useCubin && kernel.ptx() < 0)
    return Status::error(Code::Environment, 906,
                         "its code for " + codeTarget + " has no PTX for " +
                             device().fullName());
  CUmodule module;
  K3_TRY(loadImage(code, section, useCubin ? kernel.cubin() : kernel.ptx(),
                   module));
  std::string entry = kernel.entry()->str();
  CUresult result = device().api().cuModuleGetFunction(&launch.function, module,
                                                       entry.c_str());
  if (result == notFound)
    return Status::error(Code::BadInput, 908,
                         "its image has no function " + quote(entry));
  K3_TRY(device().check(result, "cuModuleGetFunction", quote(entry)));
  launch.threads = kernel.threads();
  launch.shared = kernel.shared();
  launch.cluster = kernel.cluster();
  launch.workgroupsPerBlock = kernel.workgroups_per_block();
  launch.scratch = kernel.scratch();
  if (const artefact::GpuGrid *grid = kernel.grid())
    launch.grid = Grid{grid->dim(), grid->tile(), grid->multiplier()};
  return prepare(launch);
}

/// Compares what the kernel needs with what the device has, and asks for what
/// must be asked for.
Status Program::prepare(KernelLaunch &launch) {
  const Api &api = device().api();
  auto tooSmall = [&](const std::string &needs, const std::string &allows) {
    return Status::error(Code::Environment, 909,
                         "it needs " + needs + ", " + device().fullName() +
                             " allows " + allows);
  };
  int most = 0, fixed = 0;
  K3_TRY(device().check(
      api.cuFuncGetAttribute(&most, functionMaxThreads, launch.function),
      "cuFuncGetAttribute"));
  K3_TRY(device().check(
      api.cuFuncGetAttribute(&fixed, functionSharedBytes, launch.function),
      "cuFuncGetAttribute"));
  most = std::min(most, device().maxThreads());
  if (int64_t(launch.threads) > most)
    return tooSmall(std::to_string(launch.threads) + " threads a block",
                    std::to_string(most));
  int64_t shared = int64_t(launch.shared) + fixed;
  if (shared > device().maxShared())
    return tooSmall(cpu::sizeText(uint64_t(shared)) + " of shared memory",
                    cpu::sizeText(uint64_t(device().maxShared())));
  if (launch.cluster > 1 && !device().hasClusters())
    return tooSmall("clusters of blocks", "none");
  if (launch.shared > 0 && shared > int64_t(sharedUnasked))
    K3_TRY(device().check(api.cuFuncSetAttribute(launch.function,
                                                 functionMaxDynamicShared,
                                                 int(launch.shared)),
                          "cuFuncSetAttribute"));
  if (launch.cluster > portableCluster)
    K3_TRY(device().check(
        api.cuFuncSetAttribute(launch.function, functionNonPortableCluster, 1),
        "cuFuncSetAttribute"));
  return {};
}

Program::~Program() {
  Device::Use use(device());
  if (use.ok())
    for (CUmodule module : modules)
      if (module)
        device().api().cuModuleUnload(module);
}
