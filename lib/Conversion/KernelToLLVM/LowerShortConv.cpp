// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.short_conv: a workgroup walks one sequence for a block of channels with
// the window in registers.

#include "Anchors.h"
#include "VectorMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace k3 {

namespace {
constexpr int64_t lanes = 16;
constexpr int64_t channelsOfGroup = 64;

/// The walk of one convolution over one sequence for `width` channels.
struct ChannelWalk {
  VectorMath &math;
  ShortConvOp op;
  VectorMath::Sequence seq;
  Value channel;
  int64_t width;

  int64_t taps() { return weightType().getDimSize(1); }
  int64_t kept() {
    return cast<RankedTensorType>(op.getState().getType()).getDimSize(2);
  }
  RankedTensorType weightType() {
    return cast<RankedTensorType>(op.getWeight().getType());
  }

  /// Column `column` of a channel-major matrix as a vector over channels.
  Value gather(Value memref, ArrayRef<Value> leading, int64_t column);
  void scatter(Value vector, Value memref, ArrayRef<Value> leading,
               int64_t column);
  VectorMath::Values initialWindow();
  void run();
  void zero();
};
} // namespace

Value ChannelWalk::gather(Value memref, ArrayRef<Value> leading,
                          int64_t column) {
  Value vector = math.splat(0.0, width);
  for (int64_t i = 0; i < width; ++i) {
    SmallVector<Value> at(leading);
    at.append({math.add(channel, i), math.index(column)});
    vector =
        vector::InsertOp::create(math.b, math.loc, math.loadScalar(memref, at),
                                 vector, ArrayRef<int64_t>{i});
  }
  return vector;
}

void ChannelWalk::scatter(Value vector, Value memref, ArrayRef<Value> leading,
                          int64_t column) {
  for (int64_t i = 0; i < width; ++i) {
    SmallVector<Value> at(leading);
    at.append({math.add(channel, i), math.index(column)});
    Value lane = vector::ExtractOp::create(math.b, math.loc, vector,
                                           ArrayRef<int64_t>{i});
    math.storeScalar(lane, memref, at);
  }
}

VectorMath::Values ChannelWalk::initialWindow() {
  // A fresh slot may hold anything, NaN included, so its bytes are not read.
  Value state = math.frame.bufferOf(op.getState());
  Value resumed =
      math.compare(arith::CmpIPredicate::sgt, seq.context, math.index(0));
  Value window =
      math.frame.scratch(MemRefType::get({kept(), lanes}, math.b.getF32Type()));
  math.when(
      resumed,
      [&] {
        for (int64_t j = 0; j < kept(); ++j)
          math.store(gather(state, {seq.slot}, j), window,
                     {math.index(j), math.index(0)});
      },
      [&] {
        for (int64_t j = 0; j < kept(); ++j)
          math.store(math.splat(0.0, width), window,
                     {math.index(j), math.index(0)});
      });
  VectorMath::Values values;
  for (int64_t j = 0; j < kept(); ++j)
    values.push_back(math.load(window, {math.index(j), math.index(0)}, width));
  return values;
}

void ChannelWalk::run() {
  Value x = math.frame.bufferOf(op.getX()), y = math.frame.bufferOf(op.getY());
  Value weight = math.frame.bufferOf(op.getWeight());
  VectorMath::Values tap;
  for (int64_t j = 0; j < taps(); ++j)
    tap.push_back(gather(weight, {}, j));
  Value bias = op.getBias() ? math.load(math.frame.bufferOf(op.getBias()),
                                        {channel}, width)
                            : math.splat(0.0, width);
  VectorMath::Values window =
      math.loop(seq.begin, seq.end, 1, initialWindow(),
                [&](Value t, ValueRange past) -> VectorMath::Values {
                  Value now = math.load(x, {t, channel}, width);
                  Value sum = bias;
                  for (int64_t j = 0; j + 1 < taps(); ++j)
                    sum =
                        math.fma(tap[j], past[kept() - (taps() - 1) + j], sum);
                  sum = math.fma(tap.back(), now, sum);
                  if (op.getActivation() == Activation::Silu)
                    sum = math.silu(sum);
                  else if (op.getActivation() == Activation::Sigmoid)
                    sum = math.sigmoid(sum);
                  math.store(sum, y, {t, channel});
                  VectorMath::Values next(past.drop_front());
                  next.push_back(now);
                  return next;
                });
  Value state = math.frame.bufferOf(op.getNewState());
  for (int64_t j = 0; j < kept(); ++j)
    scatter(window[j], state, {seq.slot}, j);
}

void ChannelWalk::zero() {
  Value y = math.frame.bufferOf(op.getY());
  math.loop(seq.begin, seq.end, 1, [&](Value t) {
    math.store(math.splat(0.0, width), y, {t, channel});
  });
}

static int64_t channelsOf(ShortConvOp op) {
  return cast<RankedTensorType>(op.getX().getType()).getDimSize(1);
}

static void emitConv(VectorMath &math, ShortConvOp op, Value group,
                     VectorMath::Sequence seq) {
  Value first = math.mul(group, channelsOfGroup);
  Value padded =
      math.compare(arith::CmpIPredicate::slt, seq.slot, math.index(0));
  auto walk = [&](Value channel, int64_t width) {
    ChannelWalk step{math, op, seq, channel, width};
    math.when(padded, [&] { step.zero(); }, [&] { step.run(); });
  };
  int64_t channels = channelsOf(op), whole = channels / lanes * lanes;
  Value end = math.min(math.add(first, channelsOfGroup), math.index(whole));
  if (whole > 0)
    math.loop(first, end, lanes, [&](Value channel) { walk(channel, lanes); });
  if (whole == channels)
    return;
  Value last = math.index((llvm::divideCeil(channels, channelsOfGroup)) - 1);
  math.when(math.compare(arith::CmpIPredicate::eq, group, last),
            [&] { walk(math.index(whole), channels - whole); });
}

FailureOr<KernelGrid> lowerShortConv(KernelFrame &frame,
                                     ArrayRef<ShortConvOp> convs) {
  VectorMath math(frame);
  int64_t groups = 0;
  for (ShortConvOp op : convs)
    groups += llvm::divideCeil(channelsOf(op), channelsOfGroup);
  ShortConvOp lead = convs.front();
  Value number = math.div(frame.workgroup(), groups);
  Value group = math.rem(frame.workgroup(), groups);
  VectorMath::Sequence seq = math.sequence(
      number, frame.bufferOf(lead.getCuSeqlens()),
      frame.bufferOf(lead.getSlots()), frame.bufferOf(lead.getContextLens()));
  int64_t first = 0;
  for (ShortConvOp op : convs) {
    int64_t count = llvm::divideCeil(channelsOf(op), channelsOfGroup);
    Value mine = math.sub(group, math.index(first));
    math.when(math.compare(arith::CmpIPredicate::ult, mine, math.index(count)),
              [&] { emitConv(math, op, mine, seq); });
    first += count;
  }
  return KernelGrid{lead.getSlots(), 0, 1, groups};
}

} // namespace k3
