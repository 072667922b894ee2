// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one head and a block of value channels while a workgroup walks
// a sequence: [K, channels] in scratch, whatever the layout in the pool.

#ifndef K3_CONVERSION_KERNELTOLLVM_DELTASTATE_H
#define K3_CONVERSION_KERNELTOLLVM_DELTASTATE_H

#include "VectorMath.h"

namespace k3 {

/// Value channels of one workgroup.
constexpr int64_t deltaBlock = 32;

/// A run of channels that one vector holds: offset in the block and lanes.
struct ChannelPart {
  int64_t offset, lanes;
};

/// The vectors that hold `channels` channels.
llvm::SmallVector<ChannelPart> channelParts(int64_t channels);

class DeltaState {
public:
  /// `first` is the first channel, `channels` how many.
  DeltaState(VectorMath &math, DeltaRuleOp op, mlir::Value slot,
             mlir::Value head, mlir::Value first, int64_t channels);

  /// Takes the pool's content when `resumed`, else zeros.
  void load(mlir::Value resumed);
  void store();

  mlir::Value read(mlir::Value k, ChannelPart part);
  void write(mlir::Value value, mlir::Value k, ChannelPart part);

private:
  void copy(bool toPool);
  void copyTransposed(bool toPool, ChannelPart part);

  VectorMath &math;
  DeltaRuleOp op;
  mlir::Value slot, head, first;
  int64_t channels, keyWidth;
  mlir::Value rows; // scratch [K, deltaBlock]
};

} // namespace k3

#endif // K3_CONVERSION_KERNELTOLLVM_DELTASTATE_H
