// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's tensors, matched by name with what an entry point declares.

#ifndef K3_RUNTIME_RUN_ARGUMENTS_H
#define K3_RUNTIME_RUN_ARGUMENTS_H

#include "runtime/base/Status.h"
#include "runtime/run/Symbols.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace k3::run {

/// The inputs and outputs of one call in the entry's order. After `bind` every
/// pointer is usable for the bytes that the entry's kernels may touch.
struct Arguments {
  std::vector<const k3_tensor *> inputs; // null: the session supplies it
  std::vector<const k3_tensor *> outputs;
};

/// Sorts tensors into the entry's order: no unknown, missing or repeated
/// name. `optional` is the index of an input that may be missing, or -1.
Status matchInputs(const EntryPlan &entry, std::span<const k3_tensor> given,
                   int optional, std::vector<const k3_tensor *> &out);
Status matchOutputs(const EntryPlan &entry, std::span<const k3_tensor> given,
                    std::vector<const k3_tensor *> &out);

/// Checks type and rank, and binds or compares every dimension.
Status bindShape(const TensorSpec &spec, const k3_tensor &tensor,
                 Symbols &symbols);

/// Checks that the memory behind `tensor` holds its whole shape.
Status checkMemory(const TensorSpec &spec, const k3_tensor &tensor);

/// Bytes of a dense tensor; false when they overflow or a dimension is
/// negative.
bool tensorBytes(const k3_tensor &tensor, int64_t &bytes);

/// No output may share memory with an input or another output, except that
/// an updated input may be the very buffer of its output.
Status checkOverlaps(const EntryPlan &entry, const Arguments &arguments);

} // namespace k3::run

#endif // K3_RUNTIME_RUN_ARGUMENTS_H
