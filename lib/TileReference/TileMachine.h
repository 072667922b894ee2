// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of one workgroup, and a step for each kind of op.

#ifndef K3_LIB_TILEREFERENCE_TILEMACHINE_H
#define K3_LIB_TILEREFERENCE_TILEMACHINE_H

#include "TileValue.h"

#include "k3/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace k3 {

class TileMachine {
public:
  mlir::LogicalResult run(mlir::func::FuncOp kernel,
                          llvm::ArrayRef<TileArgument> arguments,
                          int64_t number);

private:
  // TileInterpreter.cpp
  mlir::LogicalResult block(mlir::Block &body);
  mlir::LogicalResult operation(mlir::Operation *op);
  mlir::LogicalResult elementwise(mlir::Operation *op);
  mlir::LogicalResult constant(mlir::arith::ConstantOp op);
  mlir::LogicalResult loop(mlir::scf::ForOp op);
  mlir::LogicalResult branch(mlir::scf::IfOp op);
  mlir::LogicalResult nested(mlir::Operation *op, mlir::Block &body);
  static std::shared_ptr<HostTile> makeTile(mlir::Type type);

  // TileOps.cpp
  mlir::LogicalResult tileOperation(mlir::Operation *op);
  mlir::LogicalResult alongAxis(mlir::Operation *op, mlir::Value source,
                                int64_t axis);
  mlir::LogicalResult broadcast(tile::BroadcastOp op);
  mlir::LogicalResult concat(tile::ConcatOp op);
  mlir::LogicalResult byWarpgroup(tile::ByWarpgroupOp op);
  mlir::LogicalResult loadScalar(tile::LoadScalarOp op);
  mlir::LogicalResult load(tile::LoadOp op);
  mlir::LogicalResult store(tile::StoreOp op);
  mlir::LogicalResult loadShared(tile::LoadSharedOp op);
  mlir::LogicalResult storeShared(tile::StoreSharedOp op);
  mlir::LogicalResult copyAsync(tile::CopyAsyncOp op);
  mlir::LogicalResult wgmma(tile::WgmmaOp op);
  mlir::LogicalResult inverse(tile::UnitLowerInverseOp op);
  void allocate(tile::AllocSharedOp op);
  /// An element of device memory; null after a diagnostic.
  float *element(mlir::Operation *op, const HostValue &memory, int64_t index);

  llvm::DenseMap<mlir::Value, HostValue> values;
  mlir::Dialect *tileDialect = nullptr;
  int64_t workgroup = 0;
};

} // namespace k3

#endif // K3_LIB_TILEREFERENCE_TILEMACHINE_H
