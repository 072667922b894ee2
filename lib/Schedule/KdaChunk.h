// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done with one chunk of KDA, in the WY form of the Kimi Linear report,
// section 3. With c the base-2 logarithm of the decay since the start of the
// chunk:
//
//   prepare   L = k 2^(c - m), likewise for q, R = k 2^(m - c); A_kk, A_qk by
//             products of these; T = (I + A_kk)^-1; Kd = k 2^c, Qd = q 2^c;
//             Kr = k 2^(c_C - c)
//   recur     U = T beta (v - Kd S); O = Qd S + A_qk U; S = 2^(c_C) S + Kr^T U
//
// The anchor m is c in the middle of each half of the chunk, so no exponent
// exceeds 16 tokens of the strongest decay; rows of the second half meet
// columns of the first one with k 2^(m - c) for their own anchor m, where the
// exponent is at most 0. Whatever underflows was below 2^-11 of its product.
// Norms of q and k never touch the elementwise work: they are factors of rows
// and columns of the products.
//
// The state is kept transposed, S^T [V, K], in the accumulators of one
// warpgroup for 64 values: that makes it the operand A of the next product.

#ifndef K3_LIB_SCHEDULE_KDACHUNK_H
#define K3_LIB_SCHEDULE_KDACHUNK_H

#include "TileBuilder.h"

#include "k3/Schedule/KdaKernels.h"

namespace k3 {

/// Methods that write one chunk's part of a k3t program; the kernels that are
/// made of them decide where factors go and who does what.
class KdaChunk {
public:
  static constexpr int64_t chunk = 64, dim = 128, half = chunk / 2;

  virtual ~KdaChunk() = default;

protected:
  static constexpr int64_t segment = 16, slice = 2, slices = segment / slice;
  /// Tokens of which the output is computed at a time.
  static constexpr int64_t part = 32;
  /// The role prepare has eight warps in every kernel.
  static constexpr int64_t prepareWarps = 8;

  KdaChunk(mlir::OpBuilder &builder, mlir::Location loc, const KdaShape &shape,
           int64_t values)
      : t(builder, loc), shape(shape), values(values) {}

  /// Decayed keys and queries, and keys with the decay that is still to come.
  enum class Factor { Kd, Qd, Kr };

  // Where results of the preparation go: by default to buffers of this stage.
  virtual void keepFactor(Factor which, mlir::Value tile, int64_t index);
  virtual void keepScores(mlir::Value bothWarpgroups);
  virtual void keepSolve(mlir::Value bothWarpgroups);
  virtual void keepVectors(mlir::Value norm, mlir::Value scale);
  virtual void keepDecay(mlir::Value decay);

  // KdaPrepare.cpp
  llvm::SmallVector<mlir::Value> gateMap();
  mlir::Value strengthLogits();
  void prepareChunk(mlir::Value slope, mlir::Value offset);
  void allocateWork();

  // KdaRecur.cpp
  mlir::RankedTensorType stateType();
  mlir::Value stateOffset();
  mlir::Value loadState();
  void storeState(mlir::Value value);
  mlir::Value step(mlir::Value before);

  // Layouts of the preparation: tokens in four segments of 16, each held by one
  // thread for two channels, so that sums along tokens need no shuffles. Work
  // goes two tokens of each segment at a time, which bounds registers.
  mlir::Attribute segments();
  mlir::RankedTensorType sliced();
  mlir::RankedTensorType perSegment();
  mlir::RankedTensorType channels();
  /// Rows of q and k, each held by four lanes, and vectors of one element a
  /// row.
  mlir::Attribute tokenRows();
  mlir::RankedTensorType perToken();
  mlir::Attribute rowsOf() { return t.slice(1, t.acc()); }
  mlir::Attribute columnsOf() { return t.slice(0, t.acc()); }

  /// Finds the sequence's tokens, slot and state.
  void readSequence(mlir::Value sequence);
  /// Sets `rows` and `first` for the chunk of that number.
  void enterChunk(mlir::Value number);

  TileBuilder t;
  const KdaShape &shape;
  int64_t values; ///< rows of S^T that one workgroup has

  // Arguments of the kernel.
  mlir::Value q, k, v, g, beta, aLog, dtBias, state, o, cuSeqlens, slots,
      contextLens;
  // Scalars of the workgroup.
  mlir::Value head, firstValue, start, length, slot, kept, resumed, chunks,
      stride;
  // Scalars of the chunk: tokens from its start on, the first element of q.
  mlir::Value rows, first;
  // One chunk's buffers: raw inputs, in whose place factors go, and results.
  mlir::Value qStage, kStage, gStage, vStage, scoreStage, solveStage,
      decayStage, normStage, scaleStage, columnStage;
  // Buffers of the preparation alone.
  mlir::Value right, far, left, leftQ, triangle, scratch, totals, rowScale;

private:
  llvm::SmallVector<mlir::Value> decays(mlir::Value slope, mlir::Value offset);
  void norms(mlir::Value logits);
  void factors(llvm::ArrayRef<mlir::Value> sums);
  void products();
  void solve();
  mlir::Value raw(mlir::Value buffer, int64_t index);
  void put(mlir::Value x, mlir::Value y, mlir::Value buffer, int64_t index,
           int64_t limit = 0);
  mlir::Value spread(mlir::Value perSegmentValue);
  mlir::Value everySegment(mlir::Value channelValue);
  mlir::Value secondWarpgroup();
  mlir::Value unit();

  mlir::Value error(mlir::Value read, int64_t token);
  mlir::Value output(mlir::Value operand, mlir::Value change, int64_t token);
  void put(mlir::Value sum, int64_t token);
  void write();
};

/// Fails with a diagnostic when there is no tile kernel for the shape.
mlir::LogicalResult checkKdaChunks(mlir::ModuleOp module,
                                   const KdaShape &shape);

} // namespace k3

#endif // K3_LIB_SCHEDULE_KDACHUNK_H
