// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.latent_append, k3.absorb_query, k3.absorb_value and k3.last_token.

#include "Anchors.h"
#include "VectorMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace k3 {

static int64_t dimSize(Value tensor, unsigned dim) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
}

/// dst[dstAt.., offset ..] = src[srcAt..] for `size` elements.
static void copyRow(VectorMath &math, Value src, ArrayRef<Value> srcAt,
                    int64_t srcOffset, Value dst, ArrayRef<Value> dstAt,
                    int64_t dstOffset, int64_t size) {
  forEachBlock(math, size, 16, [&](Value i, int64_t lanes) {
    SmallVector<Value> from(srcAt), to(dstAt);
    from.push_back(math.add(i, srcOffset));
    to.push_back(math.add(i, dstOffset));
    math.store(math.load(src, from, lanes), dst, to);
  });
}

static void zeroRow(VectorMath &math, Value dst, ArrayRef<Value> at,
                    int64_t size) {
  forEachBlock(math, size, 16, [&](Value i, int64_t lanes) {
    SmallVector<Value> to(at);
    to.push_back(i);
    math.store(math.splat(0.0, lanes), dst, to);
  });
}

FailureOr<KernelGrid> lowerLastToken(KernelFrame &frame, LastTokenOp op) {
  VectorMath math(frame);
  Value n = frame.workgroup(), x = frame.bufferOf(op.getX());
  Value result = frame.bufferOf(op.getResult());
  Value bounds = frame.bufferOf(op.getCuSeqlens());
  Value begin = math.loadIndex(bounds, n);
  Value end = math.loadIndex(bounds, math.add(n, 1));
  int64_t width = dimSize(op.getX(), 1);
  math.when(
      math.compare(arith::CmpIPredicate::sgt, end, begin),
      [&] {
        Value last = math.sub(end, math.index(1));
        copyRow(math, x, {last}, 0, result, {n}, 0, width);
      },
      [&] { zeroRow(math, result, {n}, width); });
  return KernelGrid{op.getResult(), 0, 1, 1};
}

FailureOr<KernelGrid> lowerLatentAppend(KernelFrame &frame, LatentAppendOp op) {
  VectorMath math(frame);
  VectorMath::Sequence seq = math.sequence(
      frame.workgroup(), frame.bufferOf(op.getCuSeqlens()),
      frame.bufferOf(op.getSlots()), frame.bufferOf(op.getContextLens()));
  Value latent = frame.bufferOf(op.getLatent());
  Value rot = frame.bufferOf(op.getKRot());
  Value cache = frame.bufferOf(op.getNewCache());
  int64_t width = dimSize(op.getLatent(), 1), tail = dimSize(op.getKRot(), 1);
  math.when(math.compare(arith::CmpIPredicate::sge, seq.slot, math.index(0)),
            [&] {
              math.loop(seq.begin, seq.end, 1, [&](Value t) {
                Value row = math.add(seq.context, math.sub(t, seq.begin));
                copyRow(math, latent, {t}, 0, cache, {seq.slot, row}, 0, width);
                copyRow(math, rot, {t}, 0, cache, {seq.slot, row}, width, tail);
              });
            });
  return KernelGrid{op.getSlots(), 0, 1, 1};
}

namespace {
constexpr int64_t absorbRows = 16; // tokens of one workgroup
} // namespace

/// Workgroup -> (token range, head) with `heads` heads.
static void forEachRowOfHead(VectorMath &math, Value tokens, int64_t heads,
                             llvm::function_ref<void(Value, Value)> body) {
  Value tile = math.div(math.frame.workgroup(), heads);
  Value head = math.rem(math.frame.workgroup(), heads);
  Value from = math.mul(tile, absorbRows);
  Value to = math.min(math.add(from, absorbRows), tokens);
  math.loop(from, to, 1, [&](Value t) { body(t, head); });
}

FailureOr<KernelGrid> lowerAbsorbQuery(KernelFrame &frame, AbsorbQueryOp op) {
  VectorMath math(frame);
  Value q = frame.bufferOf(op.getQ()), kvB = frame.bufferOf(op.getKvB());
  Value result = frame.bufferOf(op.getResult());
  int64_t heads = dimSize(op.getQ(), 1), nope = op.getQkNopeHeadDim();
  int64_t rope = dimSize(op.getQ(), 2) - nope, latent = dimSize(op.getKvB(), 1);
  int64_t rowsOfHead = dimSize(op.getKvB(), 0) / heads;
  forEachRowOfHead(
      math, frame.sizeOf(op.getQ(), 0), heads, [&](Value t, Value h) {
        Value row = math.mul(h, rowsOfHead);
        auto product = [&](Value l, int64_t lanes, int64_t blocks) {
          VectorMath::Values sums = math.loop(
              math.index(0), math.index(nope), 1,
              VectorMath::Values(blocks, math.splat(0.0, lanes)),
              [&](Value d, ValueRange sum) -> VectorMath::Values {
                Value qd = math.loadSplat(q, {t, h, d}, lanes);
                VectorMath::Values next;
                for (int64_t i = 0; i < blocks; ++i)
                  next.push_back(math.fma(
                      qd,
                      math.load(kvB, {math.add(row, d), math.add(l, i * lanes)},
                                lanes),
                      sum[i]));
                return next;
              });
          for (int64_t i = 0; i < blocks; ++i)
            math.store(sums[i], result, {t, h, math.add(l, i * lanes)});
        };
        int64_t wide = latent / 64 * 64;
        if (wide > 0)
          math.loop(math.index(0), math.index(wide), 64,
                    [&](Value l) { product(l, 16, 4); });
        for (int64_t l = wide; l < latent; l += 16)
          product(math.index(l), std::min<int64_t>(16, latent - l), 1);
        copyRow(math, q, {t, h}, nope, result, {t, h}, latent, rope);
      });
  return KernelGrid{op.getQ(), 0, absorbRows, heads};
}

/// x[xAt.., :size] . w[row, :size], in one fixed order.
static Value dotRow(VectorMath &math, Value x, ArrayRef<Value> xAt, Value w,
                    Value row, int64_t size) {
  int64_t whole = size / 16 * 16;
  auto at = [&](Value i) {
    SmallVector<Value> indices(xAt);
    indices.push_back(i);
    return indices;
  };
  Value total = math.scalar(0.0);
  if (whole > 0)
    total = math.sumLanes(
        math.loop(math.index(0), math.index(whole), 16, {math.splat(0.0, 16)},
                  [&](Value i, ValueRange sum) -> VectorMath::Values {
                    return {math.fma(math.load(x, at(i), 16),
                                     math.load(w, {row, i}, 16), sum[0])};
                  })
            .front());
  for (int64_t i = whole; i < size; ++i)
    total = math.fma(math.loadScalar(x, at(math.index(i))),
                     math.loadScalar(w, {row, math.index(i)}), total);
  return total;
}

FailureOr<KernelGrid> lowerAbsorbValue(KernelFrame &frame, AbsorbValueOp op) {
  VectorMath math(frame);
  Value x = frame.bufferOf(op.getX()), kvB = frame.bufferOf(op.getKvB());
  Value result = frame.bufferOf(op.getResult());
  int64_t heads = dimSize(op.getX(), 1), latent = dimSize(op.getX(), 2);
  int64_t width = dimSize(op.getResult(), 2), nope = op.getQkNopeHeadDim();
  forEachRowOfHead(
      math, frame.sizeOf(op.getX(), 0), heads, [&](Value t, Value h) {
        Value first = math.add(math.mul(h, nope + width), nope);
        math.loop(math.index(0), math.index(width), 1, [&](Value v) {
          Value dot = dotRow(math, x, {t, h}, kvB, math.add(first, v), latent);
          math.storeScalar(dot, result, {t, h, v});
        });
      });
  return KernelGrid{op.getX(), 0, absorbRows, heads};
}

} // namespace k3
