// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is not there is named together with what is.

#include "Extract.h"

#include "runtime/base/Escape.h"
#include "runtime/format/Artefact_generated.h"

using namespace k3;
using namespace k3::artefact;

namespace {

Status missing(const std::string &what, const std::string &known) {
  return Status::error(Code::BadUsage, 450,
                       "no " + what + " (has " +
                           (known.empty() ? "none" : known) + ")");
}

void addName(std::string &list, const std::string &name) {
  list += (list.empty() ? "" : ", ") + name;
}

Status findSection(const ArtefactView &view, const std::string &name,
                   std::span<const uint8_t> &bytes) {
  std::string known;
  for (const ArtefactSection &section : view.sections) {
    bytes = section.bytes;
    if (section.name == name)
      return {};
    addName(known, section.name);
  }
  return missing("section " + quote(name), known);
}

/// The GPU code for a target; the first one when none is named.
Status findCode(const Index &index, const std::string &target,
                const CodeObject *&out) {
  std::string known;
  if (index.code())
    for (const CodeObject *code : *index.code()) {
      if (!code->images())
        continue;
      out = code;
      if (target.empty() || code->target()->str() == target)
        return {};
      addName(known, code->target()->str());
    }
  return missing(target.empty() ? "GPU target" : "GPU target " + quote(target),
                 known);
}

Status findKernel(const Index &index, const CodeObject &code,
                  const std::string &name, const GpuKernel *&out) {
  std::string known;
  if (code.gpu_kernels())
    for (const GpuKernel *kernel : *code.gpu_kernels()) {
      out = kernel;
      std::string symbol =
          index.kernels()->Get(unsigned(kernel->kernel()))->symbol()->str();
      if (symbol == name)
        return {};
      addName(known, symbol);
    }
  return missing("kernel " + quote(name) + " for " + code.target()->str(),
                 known);
}

Status findImage(const ArtefactView &view, const objdump::Extraction &wanted,
                 std::span<const uint8_t> &bytes) {
  const CodeObject *code;
  K3_TRY(findCode(*view.index, wanted.target, code));
  const GpuKernel *kernel;
  K3_TRY(findKernel(*view.index, *code, wanted.kernel, kernel));
  int32_t number = -1;
  std::string known;
  for (auto [name, image] :
       {std::pair("cubin", kernel->cubin()), std::pair("ptx", kernel->ptx())}) {
    if (wanted.image == name)
      number = image;
    if (image >= 0)
      addName(known, name);
  }
  if (number < 0)
    return missing("image " + quote(wanted.image) + " of kernel " +
                       quote(wanted.kernel),
                   known);
  const GpuImage &image = *code->images()->Get(unsigned(number));
  bytes = view.section(code->section()->str())
              .subspan(image.offset(), image.bytes());
  // The zero byte is for drivers, not for files.
  if (image.format() == GpuFormat::Ptx)
    bytes = bytes.first(bytes.size() - 1);
  return {};
}

} // namespace

Status k3::objdump::find(const ArtefactView &view, const Extraction &wanted,
                         std::span<const uint8_t> &bytes) {
  return wanted.section.empty() ? findImage(view, wanted, bytes)
                                : findSection(view, wanted.section, bytes);
}
