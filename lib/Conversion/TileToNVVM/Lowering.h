// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns from k3t to nvvm share. A tile becomes one vector a thread,
// in the order of its ThreadMap; BF16 tiles become pairs in 32-bit integers. A
// buffer and an mbarrier become pointers into shared memory.

#ifndef K3_LIB_CONVERSION_TILETONVVM_LOWERING_H
#define K3_LIB_CONVERSION_TILETONVVM_LOWERING_H

#include "NvEmit.h"

#include "k3/Dialect/Tile/IR/ThreadMap.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace k3::tile {

/// The elements of a vector, and back.
Values unpackVector(NvEmit &emit, mlir::Value vector);
mlir::Value packVector(NvEmit &emit, mlir::ValueRange elements);

/// The first warp of the k3t.on_warps around an op, and how many there are.
struct WarpRange {
  int64_t first, count;
  bool whole; ///< no k3t.on_warps: all warps of the kernel
};
WarpRange warpsAround(mlir::Operation *op);

/// The warp's number inside its range.
mlir::Value localWarp(NvEmit &emit, mlir::Operation *op);
/// The same, in a register that all lanes share: for branches and descriptors.
mlir::Value uniformWarp(NvEmit &emit, mlir::Operation *op);
/// The thread's number inside its range.
mlir::Value localThread(NvEmit &emit, mlir::Operation *op);

/// A number that is a thread's part plus a register's part. `bits` are the
/// bits that the thread's part can have.
struct ThreadIndex {
  mlir::Value value; ///< i32; null for 0
  int64_t bits = 0;
};

/// The thread's part of each coordinate of a tile.
llvm::SmallVector<ThreadIndex, 3>
threadIndices(NvEmit &emit, mlir::Operation *op, const ThreadMap &map);

/// Rows of a tile as k3t counts them: every dimension before the last one.
struct RowColumn {
  ThreadIndex row, column;
  llvm::SmallVector<std::pair<int64_t, int64_t>> offsets; ///< of each register
};
RowColumn rowsAndColumns(NvEmit &emit, mlir::Operation *op,
                         mlir::RankedTensorType type, const ThreadMap &map,
                         bool column = false, int64_t segment = 0);

/// Addresses in one stage of a shared buffer. All the work that depends on the
/// thread is done once; what is left for a register are at most eight distinct
/// pointers and a constant.
class SharedAddress {
public:
  SharedAddress(NvEmit &emit, SharedType type, mlir::Value pointer,
                ThreadIndex row, ThreadIndex column);
  /// The element at a register's part of row and column.
  mlir::Value at(int64_t row, int64_t column);

private:
  mlir::Value swizzled(int64_t row, int64_t column);

  NvEmit &emit;
  SharedType type;
  mlir::Value pointer;
  ThreadIndex row, column;
  mlir::Value linear; ///< bytes of the thread's part, without the swizzled bits
  mlir::Value piece;  ///< the thread's part of the 16-byte piece
  llvm::SmallVector<mlir::Value, 8> pointers; ///< by the constant of the xor
};

void populateRegisterPatterns(const mlir::TypeConverter &types,
                              mlir::RewritePatternSet &patterns);
void populateMemoryPatterns(const mlir::TypeConverter &types,
                            mlir::RewritePatternSet &patterns);
void populateMatrixPatterns(const mlir::TypeConverter &types,
                            mlir::RewritePatternSet &patterns);
void populateInversePatterns(const mlir::TypeConverter &types,
                             mlir::RewritePatternSet &patterns);
void populateSyncPatterns(const mlir::TypeConverter &types,
                          mlir::RewritePatternSet &patterns);

/// k3t.on_warps -> a branch on the number of the warp. The bodies hold no k3t
/// op any more.
void lowerOnWarps(mlir::Operation *kernel);

/// Gives every stretch of a loop between two barriers its own copy of the
/// thread number and of pointers to buffers, of which LLVM does not know that
/// they are the same: addresses are computed anew and not kept in registers for
/// the whole loop. The assembler sees through the copies.
void renewPhases(mlir::Operation *kernel);

/// Where k3t.alloc_shared and k3t.alloc_barrier find their offset.
inline constexpr llvm::StringLiteral offsetName = "k3t.offset";
/// The kernel's dynamic shared memory.
inline constexpr llvm::StringLiteral sharedSymbol = "k3_shared";
inline constexpr llvm::StringLiteral warpsName = "k3t.warps";
/// Workgroups that a multiprocessor should hold; bounds registers.
inline constexpr llvm::StringLiteral workgroupsName = "k3t.workgroups";
inline constexpr llvm::StringLiteral sharedBytesName = "k3t.shared_bytes";

/// A pointer into the kernel's shared memory.
mlir::Value sharedPointer(NvEmit &emit, int64_t offset);

} // namespace k3::tile

#endif // K3_LIB_CONVERSION_TILETONVVM_LOWERING_H
