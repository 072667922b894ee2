// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dynamic dimensions of a function are one number.

#ifndef K3_DIALECT_K3_ANALYSIS_DIMENSIONS_H
#define K3_DIALECT_K3_ANALYSIS_DIMENSIONS_H

#include "k3/Dialect/K3/IR/K3.h"

#include "llvm/ADT/DenseMap.h"

namespace k3 {

/// Classes of equal dynamic dimensions over the values of one block, by what
/// its ops say: rows of row-wise ops, sequences of `slots` and `context_lens`,
/// bounds of `cu_seqlens`, the pool of states, the capacity of caches. A class
/// has a symbol, numbered in the order of the first value that has it.
class Dimensions {
public:
  explicit Dimensions(mlir::Block &block);

  /// The symbol of a dimension; -1 when it is static.
  int symbolOf(mlir::Value value, unsigned dim) const;

  /// "T" tokens, "N" sequences, "bounds" entries of cu_seqlens, "slots" the
  /// pool, "capacity" tokens of a slot, "d0", "d1", ... anything else. Further
  /// classes of tokens are "T1", "T2", ... by their number.
  llvm::ArrayRef<std::string> names() const { return symbolNames; }

private:
  using Node = std::pair<mlir::Value, unsigned>;

  void visit(mlir::Operation &op);
  void visitRows(mlir::Operation &op);
  void visitSequences(mlir::Value cuSeqlens, mlir::Value slots,
                      mlir::Value contextLens);
  void visitChunk(ChunkOpInterface op);
  void visitLaunch(LaunchOp launch);
  void visitKernel(mlir::Block &body, mlir::ValueRange inputs,
                   mlir::ValueRange results);
  /// The name that ops give to a dimension's class; empty without one.
  llvm::StringRef kindOf(mlir::Value value, unsigned dim) const;
  unsigned nodeOf(mlir::Value value, unsigned dim);
  unsigned find(unsigned node) const;
  void equate(mlir::Value a, unsigned dimA, mlir::Value b, unsigned dimB);
  void equateAll(mlir::Value a, mlir::Value b);
  void call(mlir::Value value, unsigned dim, llvm::StringRef name);
  void number(mlir::Block &block);

  llvm::DenseMap<Node, unsigned> nodes;
  llvm::SmallVector<unsigned> parents;
  llvm::DenseMap<unsigned, std::string> hints; // by root
  llvm::DenseMap<unsigned, int> symbols;       // by root
  std::vector<std::string> symbolNames;
};

} // namespace k3

#endif // K3_DIALECT_K3_ANALYSIS_DIMENSIONS_H
