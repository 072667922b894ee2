// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op of the k3t dialect.

#ifndef K3T_OPS
#define K3T_OPS

include "k3/Dialect/Tile/IR/TileRegisterOps.td"
include "k3/Dialect/Tile/IR/TileMemoryOps.td"
include "k3/Dialect/Tile/IR/TileMatrixOps.td"
include "k3/Dialect/Tile/IR/TileSyncOps.td"

#endif // K3T_OPS
