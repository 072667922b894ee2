// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank a variant; refusals name what the artefact holds and what the device
// is.

#include "runtime/device/cuda/SelectCode.h"

#include "runtime/base/Escape.h"
#include "runtime/device/cuda/Driver.h"
#include "runtime/format/GpuCode.h"

#include <tuple>

using namespace k3;
using namespace k3::cuda;

namespace {

/// Larger is better; a first number of 0 does not run.
using Rank = std::tuple<int, int, int>;

Rank rankOf(const GpuVariant &variant, const Machine &machine) {
  std::optional<GpuCapability> target = parseGpuCapability(variant.target);
  if (!target)
    return {};
  int narrow = target->suffix == 'a' ? 2 : target->suffix == 'f' ? 1 : 0;
  int version = target->major * 10 + target->minor;
  if (target->fits(machine.major, machine.minor))
    return {2, version, narrow};
  if ((target->isVirtual || variant.hasPtx) &&
      target->compilesFor(machine.major, machine.minor))
    return {1, version, narrow};
  return {};
}

std::string namesOf(std::span<const GpuVariant> variants) {
  std::string text;
  for (const GpuVariant &variant : variants)
    text += (text.empty() ? "" : ", ") + variant.target;
  return text.empty() ? "nothing" : text;
}

Status refuse(std::span<const GpuVariant> variants, const Machine &machine,
              const std::string &what) {
  std::string target = "sm_" +
                       std::to_string(machine.major * 10 + machine.minor) +
                       (machine.major >= 9 ? "a" : "");
  return Status::error(Code::Environment, 906,
                       what + " (the artefact holds " + namesOf(variants) +
                           "; the device is " + machine.name + ")",
                       "rebuild it: k3-compile model.mlir --target=" + target +
                           " -o model.fatbin");
}

Status checkDriver(const GpuVariant &variant, const Machine &machine) {
  if (int64_t(variant.driver) <= machine.driver)
    return {};
  return Status::error(Code::Environment, 902,
                       "the CUDA driver is for " + versionText(machine.driver) +
                           ", older than the " +
                           versionText(int(variant.driver)) +
                           " that the code for " + variant.target + " needs",
                       "install a newer NVIDIA driver");
}

} // namespace

Status k3::cuda::selectCode(std::span<const GpuVariant> variants,
                            const Machine &machine, const std::string &wanted,
                            size_t &out) {
  Rank best = {};
  bool known = false;
  for (size_t i = 0; i < variants.size(); ++i) {
    if (!wanted.empty() && variants[i].target != wanted)
      continue;
    known = true;
    Rank rank = rankOf(variants[i], machine);
    if (rank <= best)
      continue;
    best = rank;
    out = i;
  }
  if (best != Rank())
    return checkDriver(variants[out], machine);
  if (wanted.empty())
    return refuse(variants, machine, "no code object fits this GPU");
  return refuse(variants, machine,
                known ? "target " + quote(wanted) + " does not fit this GPU"
                      : "no code for target " + quote(wanted));
}
