// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one entry point on tensors from files, and saves what it gives.

#ifndef K3_TOOLS_K3_RUN_RUNENTRY_H
#define K3_TOOLS_K3_RUN_RUNENTRY_H

#include "ModelSession.h"

namespace k3::run {

/// `--in` and `--out` are matched with the entry's arguments by name. A
/// language model's `cu_seqlens` and `slots` default to one sequence in a
/// fresh slot.
Failure runEntry(ModelSession &opened, const Options &options);

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_RUNENTRY_H
