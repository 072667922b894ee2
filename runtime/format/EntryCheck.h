// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of an index: arguments, workspace, commands.

#ifndef K3_RUNTIME_FORMAT_ENTRYCHECK_H
#define K3_RUNTIME_FORMAT_ENTRYCHECK_H

#include "runtime/format/IndexText.h"

namespace k3 {

/// As K3_MAX_RANK.
constexpr unsigned mostRank = 8;

/// Whether every enumeration is known and every reference in range.
Status checkEntry(IndexWork &work, const artefact::Index &index,
                  const artefact::Entry &entry);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_ENTRYCHECK_H
