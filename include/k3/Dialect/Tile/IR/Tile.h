// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The k3t dialect, its layouts, types and ops.

#ifndef K3_DIALECT_TILE_IR_TILE_H
#define K3_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "k3/Dialect/Tile/IR/TileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "k3/Dialect/Tile/IR/TileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "k3/Dialect/Tile/IR/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "k3/Dialect/Tile/IR/TileOps.h.inc"

#endif // K3_DIALECT_TILE_IR_TILE_H
