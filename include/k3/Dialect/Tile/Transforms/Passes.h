// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3t -> k3t passes.

#ifndef K3_DIALECT_TILE_TRANSFORMS_PASSES_H
#define K3_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "k3/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace k3::tile {
#define GEN_PASS_DECL
#include "k3/Dialect/Tile/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "k3/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace k3::tile

#endif // K3_DIALECT_TILE_TRANSFORMS_PASSES_H
