// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops of the dialect; nothing is defined here.

#ifndef K3_OPS
#define K3_OPS

include "k3/Dialect/K3/IR/K3AttentionOps.td"
include "k3/Dialect/K3/IR/K3ChunkOps.td"
include "k3/Dialect/K3/IR/K3ConvOps.td"
include "k3/Dialect/K3/IR/K3DeltaOps.td"
include "k3/Dialect/K3/IR/K3EmbeddingOps.td"
include "k3/Dialect/K3/IR/K3ExpertOps.td"
include "k3/Dialect/K3/IR/K3GateOps.td"
include "k3/Dialect/K3/IR/K3KernelOps.td"
include "k3/Dialect/K3/IR/K3NormOps.td"
include "k3/Dialect/K3/IR/K3ProjectionOps.td"
include "k3/Dialect/K3/IR/K3ResidualOps.td"
include "k3/Dialect/K3/IR/K3StateOps.td"

#endif // K3_OPS
