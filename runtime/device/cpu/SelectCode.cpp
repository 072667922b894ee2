// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets from best to least, and the refusals that name what is missing.

#include "runtime/device/cpu/SelectCode.h"

#include <algorithm>

using namespace k3;
using namespace k3::cpu;

namespace {

struct Target {
  const char *name;
  /// Features of the psABI level that its code may use unasked.
  std::vector<std::string> baseline;
};

const std::vector<Target> &targets() {
  static const std::vector<Target> list = {
      {"x86-64-v4",
       {"avx2", "fma", "f16c", "bmi2", "avx512f", "avx512bw", "avx512cd",
        "avx512dq", "avx512vl"}},
      {"x86-64-v3", {"avx2", "fma", "f16c", "bmi2"}},
  };
  return list;
}

const Target *findTarget(const std::string &name) {
  for (const Target &target : targets())
    if (name == target.name)
      return &target;
  return nullptr;
}

template <class Range, class Name>
std::string joined(const Range &range, Name name) {
  std::string text;
  for (const auto &item : range)
    text += (text.empty() ? "" : ", ") + std::string(name(item));
  return text.empty() ? "nothing" : text;
}

std::string namesOf(std::span<const CodeVariant> variants) {
  return joined(variants, [](const CodeVariant &v) { return v.target; });
}

std::vector<std::string> missing(const CodeVariant &variant,
                                 const Target &target, const CpuFeatures &cpu) {
  std::vector<std::string> names;
  for (const std::string &feature : target.baseline)
    if (!cpu.has(feature))
      names.push_back(feature);
  for (const std::string &feature : variant.features)
    if (!cpu.has(feature) &&
        std::find(names.begin(), names.end(), feature) == names.end())
      names.push_back(feature);
  return names;
}

/// The best target that this CPU runs, or empty.
std::string bestTarget(const CpuFeatures &cpu) {
  for (const Target &target : targets())
    if (missing({target.name, {}}, target, cpu).empty())
      return target.name;
  return {};
}

std::string rebuild(const CpuFeatures &cpu) {
  std::string best = bestTarget(cpu);
  if (best.empty())
    return "k3 code needs a CPU with AVX2 and FMA";
  return "rebuild it: k3-compile model.mlir --target=" + best +
         " -o model.fatbin";
}

Status selectWanted(std::span<const CodeVariant> variants,
                    const CpuFeatures &cpu, const std::string &wanted,
                    size_t &out) {
  const Target *target = findTarget(wanted);
  if (!target)
    return Status::error(
        Code::BadUsage, 420,
        "unknown target '" + wanted + "' (known: " +
            joined(targets(), [](const Target &t) { return t.name; }) + ")");
  for (size_t i = 0; i < variants.size(); ++i) {
    if (variants[i].target != wanted)
      continue;
    std::vector<std::string> lacks = missing(variants[i], *target, cpu);
    if (!lacks.empty())
      return Status::error(
          Code::Environment, 420,
          "target '" + wanted + "': this CPU lacks " +
              joined(lacks, [](const std::string &s) { return s; }),
          rebuild(cpu));
    out = i;
    return {};
  }
  return Status::error(Code::Environment, 420,
                       "no code for target '" + wanted +
                           "' (the artefact holds " + namesOf(variants) + ")",
                       "rebuild it: k3-compile model.mlir --target=" + wanted +
                           " -o model.fatbin");
}

} // namespace

Status k3::cpu::selectCode(std::span<const CodeVariant> variants,
                           const CpuFeatures &cpu, const std::string &wanted,
                           size_t &out) {
  if (!wanted.empty())
    return selectWanted(variants, cpu, wanted, out);
  for (const Target &target : targets())
    for (size_t i = 0; i < variants.size(); ++i)
      if (variants[i].target == target.name &&
          missing(variants[i], target, cpu).empty()) {
        out = i;
        return {};
      }
  std::string text = "no code object fits this CPU (the artefact holds " +
                     namesOf(variants) + "; ";
  for (const CodeVariant &variant : variants)
    if (const Target *target = findTarget(variant.target))
      text += "for " + variant.target + " this CPU lacks " +
              joined(missing(variant, *target, cpu),
                     [](const std::string &s) { return s; }) +
              "; ";
  std::string best = bestTarget(cpu);
  text +=
      "this CPU runs " + (best.empty() ? std::string("neither") : best) + ")";
  return Status::error(Code::Environment, 420, text, rebuild(cpu));
}
