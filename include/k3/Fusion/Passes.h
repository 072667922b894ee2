// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that form kernels.

#ifndef K3_FUSION_PASSES_H
#define K3_FUSION_PASSES_H

#include "k3/Dialect/K3/IR/K3.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace k3 {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "k3/Fusion/Passes.h.inc"
} // namespace k3

#endif // K3_FUSION_PASSES_H
