// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the checkpoint's tensors for every weight of an artefact.

#ifndef K3_RUNTIME_WEIGHTS_CHECKWEIGHTS_H
#define K3_RUNTIME_WEIGHTS_CHECKWEIGHTS_H

#include "runtime/format/Artefact_generated.h"
#include "runtime/format/Checkpoint.h"

namespace k3 {

/// A weight with the tensors it is made of: one, or its stack in order.
struct WeightSources {
  const artefact::Weight *weight = nullptr;
  std::vector<Checkpoint::Entry> entries;

  std::string_view name() const {
    return {weight->name()->data(), weight->name()->size()};
  }
};

/// Names, shapes and element types of all weights against the checkpoint; all
/// that do not fit are in one failure, sorted.
Status checkWeights(const artefact::Index &index, const Checkpoint &checkpoint,
                    std::vector<WeightSources> &out);

/// One failure for many problems: a summary and the first of them in its text,
/// the first 20 as details.
Status listProblems(Code code, int number, const std::string &summary,
                    std::vector<std::string> problems);

} // namespace k3

#endif // K3_RUNTIME_WEIGHTS_CHECKWEIGHTS_H
