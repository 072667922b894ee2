// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.delta_rule token by token: a workgroup walks one sequence for one head and
// a block of value channels. The same code serves prefill and decode, so any
// split of a prompt gives the same bits.

#include "Anchors.h"
#include "DeltaState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace k3 {

namespace {
constexpr int64_t tokensOfBatch = 16; // tokens whose rows are widened at once

/// The fp32 rows of a batch of tokens, widened once for all channels.
struct TokenRows {
  Value q, k, decay, a, b; // scratch [tokensOfBatch, K]; null when absent
};

class DeltaWalk {
public:
  DeltaWalk(VectorMath &math, DeltaRuleOp op, VectorMath::Sequence seq,
            Value head)
      : math(math), op(op), seq(seq), head(head), keyWidth(dim(op.getQ(), 2)),
        valueWidth(dim(op.getV(), 2)),
        keyHead(math.div(head, dim(op.getV(), 1) / dim(op.getQ(), 1))),
        unroll(keyWidth % 4 == 0 ? 4 : 1) {}

  /// Channels [first, +channels). The normaliser's state is shared by all
  /// blocks of a head and written back when `last`.
  void run(Value first, int64_t channels, bool last);
  void zero(Value first, int64_t channels);

  static int64_t dim(Value tensor, unsigned index) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(index);
  }

private:
  using Values = VectorMath::Values;

  TokenRows allocateRows();
  void fillRows(const TokenRows &rows, Value local, Value t);
  void widenRow(Value source, Value sourceHead, Value target, Value local,
                Value t, bool exponentiate);
  void tiedRow(Value target, Value local, Value t);
  Values step(DeltaState &state, const TokenRows &rows, Value local, Value t,
              Value first, int64_t channels);
  Values readErase(DeltaState &state, const TokenRows &rows, Value local,
                   Value decay, ArrayRef<ChannelPart> parts);
  Values writeAndRead(DeltaState &state, const TokenRows &rows, Value local,
                      Value t, Value decay, Values erased, Value first,
                      ArrayRef<ChannelPart> parts);
  /// Partial sums over the key channels: `unroll` of them for each part.
  Values zeroSums(ArrayRef<ChannelPart> parts);
  Values addSums(ArrayRef<Value> sums, ArrayRef<ChannelPart> parts);
  /// exp(g) of the whole head at token t as a vector, or null.
  Value headDecay(Value t);
  Value decayAt(const TokenRows &rows, Value local, Value k, Value headDecay,
                int64_t lanes);
  Value beta(Value t, int64_t lanes) {
    return math.loadSplat(math.frame.bufferOf(op.getBeta()), {t, head}, lanes);
  }
  Value eraseHead(Value vector) {
    return dim(vector, 1) == dim(op.getV(), 1) ? head : keyHead;
  }
  bool erases() { return op.getErase() != Erase::None; }

  void loadNormalizer(Value resumed);
  Value stepNormalizer(const TokenRows &rows, Value local, Value t,
                       Value decay);
  void storeNormalizer();

  VectorMath &math;
  DeltaRuleOp op;
  VectorMath::Sequence seq;
  Value head;
  int64_t keyWidth, valueWidth;
  Value keyHead;
  int64_t unroll; // independent sums over k; their order is fixed
  Value normalizer;
};
} // namespace

TokenRows DeltaWalk::allocateRows() {
  MemRefType type =
      MemRefType::get({tokensOfBatch, keyWidth}, math.b.getF32Type());
  auto rows = [&](bool wanted) {
    return wanted ? math.frame.scratch(type) : Value();
  };
  // A tied key is a row of its own too: 1 - exp(g) cancels for slow decays.
  bool tied = op.getWrite() == Write::TiedKey;
  return {rows(true), rows(tied || bool(op.getK())),
          rows(op.getDecay() == Decay::Channel), rows(bool(op.getA())),
          rows(bool(op.getB()))};
}

void DeltaWalk::widenRow(Value source, Value sourceHead, Value target,
                         Value local, Value t, bool exponentiate) {
  Value memory = math.frame.bufferOf(source);
  forEachBlock(math, keyWidth, 16, [&](Value k, int64_t lanes) {
    Value row = math.load(memory, {t, sourceHead, k}, lanes);
    math.store(exponentiate ? math.exp(row) : row, target, {local, k});
  });
}

void DeltaWalk::tiedRow(Value target, Value local, Value t) {
  Value memory = math.frame.bufferOf(op.getG());
  forEachBlock(math, keyWidth, 16, [&](Value k, int64_t lanes) {
    Value step = math.load(memory, {t, head, k}, lanes);
    math.store(math.oneMinusExp(step), target, {local, k});
  });
}

void DeltaWalk::fillRows(const TokenRows &rows, Value local, Value t) {
  widenRow(op.getQ(), keyHead, rows.q, local, t, false);
  if (op.getK())
    widenRow(op.getK(), keyHead, rows.k, local, t, false);
  else
    tiedRow(rows.k, local, t);
  if (rows.decay)
    widenRow(op.getG(), head, rows.decay, local, t, true);
  if (rows.a)
    widenRow(op.getA(), eraseHead(op.getA()), rows.a, local, t, false);
  if (rows.b)
    widenRow(op.getB(), eraseHead(op.getB()), rows.b, local, t, false);
}

Value DeltaWalk::headDecay(Value t) {
  if (op.getDecay() == Decay::Head)
    return math.exp(
        math.loadSplat(math.frame.bufferOf(op.getG()), {t, head}, 16));
  if (op.getDecay() == Decay::HeadConstant)
    return math.exp(math.loadSplat(math.frame.bufferOf(op.getG()), {head}, 16));
  return {};
}

Value DeltaWalk::decayAt(const TokenRows &rows, Value local, Value k,
                         Value headDecay, int64_t lanes) {
  if (rows.decay)
    return math.loadSplat(rows.decay, {local, k}, lanes);
  if (!headDecay)
    return {};
  return math.firstLanes(headDecay, lanes);
}

DeltaWalk::Values DeltaWalk::zeroSums(ArrayRef<ChannelPart> parts) {
  Values zeros;
  for (int64_t u = 0; u < unroll; ++u)
    for (ChannelPart part : parts)
      zeros.push_back(math.splat(0.0, part.lanes));
  return zeros;
}

DeltaWalk::Values DeltaWalk::addSums(ArrayRef<Value> sums,
                                     ArrayRef<ChannelPart> parts) {
  Values totals(sums.take_front(parts.size()));
  for (int64_t u = 1; u < unroll; ++u)
    for (size_t p = 0; p < parts.size(); ++p)
      totals[p] = math.addF(totals[p], sums[u * parts.size() + p]);
  return totals;
}

/// r = y^T R over the key channels; leaves the decayed state behind.
DeltaWalk::Values DeltaWalk::readErase(DeltaState &state, const TokenRows &rows,
                                       Value local, Value decay,
                                       ArrayRef<ChannelPart> parts) {
  Value reader = op.getErase() == Erase::Delta ? rows.k : rows.a;
  Values sums = math.loop(
      math.index(0), math.index(keyWidth), unroll, zeroSums(parts),
      [&](Value k0, ValueRange carried) -> Values {
        Values next;
        for (int64_t u = 0; u < unroll; ++u) {
          Value k = math.add(k0, u);
          for (auto [p, part] : llvm::enumerate(parts)) {
            Value old = state.read(k, part);
            Value d = decayAt(rows, local, k, decay, part.lanes);
            Value decayed = d ? math.mulF(old, d) : old;
            if (d)
              state.write(decayed, k, part);
            bool undecayed = op.getReadState() == ReadState::Undecayed;
            next.push_back(math.fma(
                math.loadSplat(reader, {local, k}, part.lanes),
                undecayed ? old : decayed, carried[u * parts.size() + p]));
          }
        }
        return next;
      });
  return addSums(sums, parts);
}

DeltaWalk::Values DeltaWalk::writeAndRead(DeltaState &state,
                                          const TokenRows &rows, Value local,
                                          Value t, Value decay, Values erased,
                                          Value first,
                                          ArrayRef<ChannelPart> parts) {
  Value values = math.frame.bufferOf(op.getV());
  bool lowRank = op.getErase() == Erase::LowRank;
  Values written; // what the write key multiplies
  for (auto [p, part] : llvm::enumerate(parts)) {
    Value v =
        math.load(values, {t, head, math.add(first, part.offset)}, part.lanes);
    if (op.getWrite() == Write::BetaValue)
      v = math.mulF(v, beta(t, part.lanes));
    if (erases() && !lowRank)
      v = math.subF(v, math.mulF(beta(t, part.lanes), erased[p]));
    written.push_back(v);
  }
  Values sums = math.loop(
      math.index(0), math.index(keyWidth), unroll, zeroSums(parts),
      [&](Value k0, ValueRange carried) -> Values {
        Values next;
        for (int64_t u = 0; u < unroll; ++u) {
          Value k = math.add(k0, u);
          for (auto [p, part] : llvm::enumerate(parts)) {
            Value s = state.read(k, part);
            Value d = decayAt(rows, local, k, decay, part.lanes);
            if (!erases() && d)
              s = math.mulF(s, d);
            if (lowRank)
              s = math.fma(math.loadSplat(rows.b, {local, k}, part.lanes),
                           erased[p], s);
            Value key = math.loadSplat(rows.k, {local, k}, part.lanes);
            s = math.fma(key, written[p], s);
            state.write(s, k, part);
            next.push_back(
                math.fma(math.loadSplat(rows.q, {local, k}, part.lanes), s,
                         carried[u * parts.size() + p]));
          }
        }
        return next;
      });
  return addSums(sums, parts);
}

DeltaWalk::Values DeltaWalk::step(DeltaState &state, const TokenRows &rows,
                                  Value local, Value t, Value first,
                                  int64_t channels) {
  SmallVector<ChannelPart> parts = channelParts(channels);
  Value decay = headDecay(t);
  Values erased;
  if (erases())
    erased = readErase(state, rows, local, decay, parts);
  return writeAndRead(state, rows, local, t, decay, erased, first, parts);
}

void DeltaWalk::run(Value first, int64_t channels, bool last) {
  Value resumed =
      math.compare(arith::CmpIPredicate::sgt, seq.context, math.index(0));
  Value o = math.frame.bufferOf(op.getO());
  DeltaState state(math, op, seq.slot, head, first, channels);
  state.load(resumed);
  if (op.getNormalizerState())
    loadNormalizer(resumed);
  TokenRows rows = allocateRows();
  double scale = op.getScale().convertToDouble();
  math.loop(seq.begin, seq.end, tokensOfBatch, [&](Value t0) {
    Value end = math.min(math.add(t0, tokensOfBatch), seq.end);
    math.loop(t0, end, 1, [&](Value t) { fillRows(rows, math.sub(t, t0), t); });
    math.loop(t0, end, 1, [&](Value t) {
      Value local = math.sub(t, t0);
      Values out = step(state, rows, local, t, first, channels);
      Value divisor;
      if (normalizer)
        divisor = stepNormalizer(rows, local, t, headDecay(t));
      for (auto [p, part] : llvm::enumerate(channelParts(channels))) {
        Value value = math.mulF(out[p], math.splat(scale, part.lanes));
        if (divisor)
          value = math.divF(value, math.broadcast(divisor, part.lanes));
        math.store(value, o, {t, head, math.add(first, part.offset)});
      }
    });
  });
  state.store();
  if (normalizer && last)
    storeNormalizer();
}

void DeltaWalk::zero(Value first, int64_t channels) {
  Value o = math.frame.bufferOf(op.getO());
  math.loop(seq.begin, seq.end, 1, [&](Value t) {
    for (ChannelPart part : channelParts(channels))
      math.store(math.splat(0.0, part.lanes), o,
                 {t, head, math.add(first, part.offset)});
  });
}

void DeltaWalk::loadNormalizer(Value resumed) {
  normalizer =
      math.frame.scratch(MemRefType::get({keyWidth}, math.b.getF32Type()));
  Value pool = math.frame.bufferOf(op.getNormalizerState());
  forEachBlock(math, keyWidth, 16, [&](Value k, int64_t lanes) {
    math.when(
        resumed,
        [&] {
          math.store(math.load(pool, {seq.slot, head, k}, lanes), normalizer,
                     {k});
        },
        [&] { math.store(math.splat(0.0, lanes), normalizer, {k}); });
  });
}

/// z <- D z + w; returns scale * z^T q + eps.
Value DeltaWalk::stepNormalizer(const TokenRows &rows, Value local, Value t,
                                Value decay) {
  forEachBlock(math, keyWidth, 16, [&](Value k, int64_t lanes) {
    Value d = rows.decay ? math.load(rows.decay, {local, k}, lanes)
              : decay    ? math.firstLanes(decay, lanes)
                         : Value();
    Value z = math.load(normalizer, {k}, lanes);
    if (d)
      z = math.mulF(z, d);
    Value w = math.load(rows.k, {local, k}, lanes);
    if (op.getWrite() == Write::BetaValue)
      w = math.mulF(w, beta(t, lanes));
    math.store(math.addF(z, w), normalizer, {k});
  });
  Value total =
      math.loop(math.index(0), math.index(keyWidth), 1, {math.scalar(0.0)},
                [&](Value k, ValueRange sum) -> Values {
                  return {math.fma(math.loadScalar(normalizer, {k}),
                                   math.loadScalar(rows.q, {local, k}),
                                   sum[0])};
                })
          .front();
  return math.fma(total, math.scalar(op.getScale().convertToDouble()),
                  math.scalar(op.getNormalizerEps()->convertToDouble()));
}

void DeltaWalk::storeNormalizer() {
  Value pool = math.frame.bufferOf(op.getNewNormalizerState());
  forEachBlock(math, keyWidth, 16, [&](Value k, int64_t lanes) {
    math.store(math.load(normalizer, {k}, lanes), pool, {seq.slot, head, k});
  });
}

/// One block of channels a workgroup.
static void emitBlock(VectorMath &math, DeltaWalk &walk, Value alive,
                      Value block, int64_t width) {
  int64_t blocks = llvm::divideCeil(width, deltaBlock);
  int64_t tail = width - (blocks - 1) * deltaBlock;
  Value first = math.mul(block, deltaBlock);
  auto emit = [&](int64_t channels) {
    math.when(
        alive, [&] { walk.run(first, channels, true); },
        [&] { walk.zero(first, channels); });
  };
  if (blocks == 1 || tail == deltaBlock) {
    emit(tail);
    return;
  }
  math.when(
      math.compare(arith::CmpIPredicate::ult, block, math.index(blocks - 1)),
      [&] { emit(deltaBlock); }, [&] { emit(tail); });
}

/// All channels of a head in one workgroup: every block needs the
/// normaliser's old state, which the last one replaces.
static void emitWholeHead(VectorMath &math, DeltaWalk &walk, Value alive,
                          int64_t width) {
  for (int64_t first = 0; first < width; first += deltaBlock) {
    int64_t channels = std::min(deltaBlock, width - first);
    bool last = first + channels == width;
    math.when(
        alive, [&] { walk.run(math.index(first), channels, last); },
        [&] { walk.zero(math.index(first), channels); });
  }
}

FailureOr<KernelGrid> lowerDeltaRule(KernelFrame &frame, DeltaRuleOp op) {
  VectorMath math(frame);
  int64_t heads = DeltaWalk::dim(op.getV(), 1);
  int64_t width = DeltaWalk::dim(op.getV(), 2);
  bool whole = bool(op.getNormalizerState());
  int64_t blocks = whole ? 1 : llvm::divideCeil(width, deltaBlock);
  Value block = math.rem(frame.workgroup(), blocks);
  Value rest = math.div(frame.workgroup(), blocks);
  Value head = math.rem(rest, heads), number = math.div(rest, heads);
  VectorMath::Sequence seq = math.sequence(
      number, frame.bufferOf(op.getCuSeqlens()), frame.bufferOf(op.getSlots()),
      frame.bufferOf(op.getContextLens()));
  DeltaWalk walk(math, op, seq, head);
  Value alive =
      math.compare(arith::CmpIPredicate::sge, seq.slot, math.index(0));
  if (whole)
    emitWholeHead(math, walk, alive, width);
  else
    emitBlock(math, walk, alive, block, width);
  return KernelGrid{op.getSlots(), 0, 1, heads * blocks};
}

} // namespace k3
