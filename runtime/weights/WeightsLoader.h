// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the weights that an artefact declares from a checkpoint: found by
// name, converted, packed.

#ifndef K3_RUNTIME_WEIGHTS_WEIGHTSLOADER_H
#define K3_RUNTIME_WEIGHTS_WEIGHTSLOADER_H

#include "runtime/base/AlignedBuffer.h"

#include <functional>
#include <string>
#include <vector>

namespace k3::artefact {
struct Index;
}

namespace k3 {

struct LoadOptions {
  /// Whether weights may hold NaN or infinity.
  bool allowNonfinite = false;
  int threads = 0; ///< 0: OpenMP's choice
  /// Called on the calling thread; `done` counts checkpoint bytes.
  void (*progress)(void *user, uint64_t done, uint64_t total) = nullptr;
  void *progressUser = nullptr;
};

/// One buffer a weight, in the order of `index.weights()`, each of
/// Weight.bytes bytes. `index` must come from a verified artefact. All weights
/// that the checkpoint does not have, or has in another form, are reported at
/// once, before any data is read. `path` is a model folder or a safetensors
/// file; it may be empty when the artefact has no weights.
Status loadWeights(const artefact::Index &index, const std::string &path,
                   const LoadOptions &options, std::vector<AlignedBuffer> *out);

/// Takes the weight of this number away, on the thread that loads.
using WeightSink =
    std::function<Status(size_t number, std::span<const uint8_t> bytes)>;

/// The same, but hands each weight to `sink` in order, and keeps no more of
/// them in memory than some hundred megabytes or the largest one.
Status streamWeights(const artefact::Index &index, const std::string &path,
                     const LoadOptions &options, const WeightSink &sink);

} // namespace k3

#endif // K3_RUNTIME_WEIGHTS_WEIGHTSLOADER_H
