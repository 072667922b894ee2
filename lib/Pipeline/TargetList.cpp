// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and aliases of targets.

#include "k3/Pipeline/Pipeline.h"
#include "runtime/base/Escape.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

using namespace k3;

static std::string knownTargets() {
  std::string known = "x86-64";
  for (const CpuTarget &target : cpuTargets())
    known += ", " + target.name.str();
  return known;
}

/// The name in the table; "x86-64" stands for all levels.
static llvm::StringRef canonical(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"x86-64", "x86_64", "cpu"}, "x86-64")
      .Cases({"x86-64-v4", "x86_64_v4", "x86_64-v4", "avx512"}, "x86-64-v4")
      .Cases({"x86-64-v3", "x86_64_v3", "x86_64-v3", "avx2"}, "x86-64-v3")
      .Default(name);
}

static bool isGpu(llvm::StringRef name) {
  static const llvm::Regex pattern(
      "^(sm_[0-9]+[af]?|compute_[0-9]+[af]?|[hb][0-9]00|ptx|cuda|nvptx64)$");
  return pattern.match(name);
}

Status k3::parseTargets(llvm::StringRef list,
                        std::vector<const CpuTarget *> &targets) {
  llvm::SmallVector<llvm::StringRef> names;
  list.split(names, ',');
  llvm::SmallVector<bool> wanted(cpuTargets().size(), false);
  for (llvm::StringRef raw : names) {
    llvm::StringRef name = canonical(raw.trim());
    bool found = false;
    for (auto [index, target] : llvm::enumerate(cpuTargets()))
      if (name == "x86-64" || name == target.name)
        wanted[index] = found = true;
    if (found)
      continue;
    if (isGpu(name))
      return Status::error(
          Code::BadInput, 511,
          "target " + quote(name.str()) +
              " is not supported by this build yet; known: " + knownTargets());
    return Status::error(Code::BadInput, 510,
                         "unknown target " + quote(name.str()) +
                             "; known: " + knownTargets());
  }
  targets.clear();
  for (auto [index, target] : llvm::enumerate(cpuTargets()))
    if (wanted[index])
      targets.push_back(&target);
  return {};
}
