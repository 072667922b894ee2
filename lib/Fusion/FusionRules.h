// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops share a kernel.

#ifndef K3_FUSION_FUSIONRULES_H
#define K3_FUSION_FUSIONRULES_H

#include "KernelGroups.h"

namespace k3 {

/// Why an op does not share a kernel with another one.
struct MissedFusion {
  mlir::Operation *op;
  std::string reason;
};

/// Gives every reader of a reshape its own copy just before it, so that a
/// reshape never decides where a kernel ends.
void repeatReshapes(mlir::Block &block);

/// Merges groups by all rules and returns what they could not merge.
std::vector<MissedFusion> mergeGroups(mlir::Block &block, KernelGroups &groups);

} // namespace k3

#endif // K3_FUSION_FUSIONRULES_H
