// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KDA for one token a sequence, in one launch and in place. A workgroup owns a
// head of a sequence: its window, its state and its norm. The state is read
// and written once, in 16-byte pieces. With few sequences the time is that of
// the chain of loads, so there are two links only: all that does not depend on
// the slot, then all that does.

#include "TileBuilder.h"

#include "k3/Schedule/KdaKernels.h"

#include <cmath>

using namespace mlir;
using namespace k3;

namespace {

constexpr int64_t warps = 8, taps = 4;

class DecodeBuilder {
public:
  DecodeBuilder(OpBuilder &builder, func::FuncOp kernel, const KdaShape &shape)
      : t(builder, kernel.getLoc()), shape(shape), dim(shape.keyDim) {
    Value *names[] = {&q,          &k,          &v,       &g,          &beta,
                      &outputGate, &qConv,      &kConv,   &vConv,      &aLog,
                      &dtBias,     &outputNorm, &qWindow, &kWindow,    &vWindow,
                      &state,      &o,          &slots,   &contextLens};
    for (auto [name, argument] : llvm::zip_equal(names, kernel.getArguments()))
      *name = argument;
  }

  void build() {
    locate();
    loadInputs();
    loadMemory();
    vectors();
    finish(recur());
  }

private:
  TileBuilder t;
  const KdaShape &shape;
  int64_t dim;
  Value q, k, v, g, beta, outputGate, qConv, kConv, vConv, aLog, dtBias,
      outputNorm, qWindow, kWindow, vWindow, state, o, slots, contextLens;
  Value sequence, head, slot, kept, resumed;
  Value keyBuffer, queryBuffer, valueBuffer, decayBuffer, outputBuffer;

  /// One of q, k and v on its way through the convolution.
  struct Channel {
    Value *token, *weights, *window;
    int64_t size;
    Value *buffer;
    Value now;                 ///< BF16, of this token
    SmallVector<Value> taps;   ///< of the convolution
    SmallVector<Value> before; ///< BF16, what the slot holds, oldest first
  };
  SmallVector<Channel, 3> convolved;
  Value rawDecay, slope, bias, logit, gate, norm, before;

  /// Rows are values, columns are keys: four rows of 32 keys a warp at a time.
  Attribute stateLayout() { return t.blocked({1, 4}, {4, 8}, {warps, 1}); }
  RankedTensorType stateType() {
    return t.f32({shape.valueDim, dim}, stateLayout());
  }
  RankedTensorType keyType() { return t.f32({dim}, t.slice(0, stateLayout())); }
  RankedTensorType valueType() {
    return t.f32({shape.valueDim}, t.slice(1, stateLayout()));
  }
  /// The output, once for each warp.
  RankedTensorType outputType() {
    return t.f32({warps, shape.valueDim},
                 t.blocked({1, 4}, {1, 32}, {warps, 1}));
  }
  /// Two channels a thread; threads beyond that hold copies.
  Attribute channels() { return t.blocked({2}, {32}, {warps}); }

  void locate() {
    Value block = t.blockId();
    Value heads = t.i32(shape.heads);
    sequence = t.wide(arith::DivUIOp::create(t.b, t.loc, block, heads));
    head = t.wide(arith::RemUIOp::create(t.b, t.loc, block, heads));
    slot = t.element(slots, sequence);
    kept = t.atLeast(slot, t.i32(0));
    Value before = t.element(contextLens, sequence);
    resumed = arith::AndIOp::create(t.b, t.loc, kept, t.less(t.i32(0), before));
    Type full = t.b.getF32Type();
    for (auto [buffer, size] : {std::pair{&keyBuffer, dim},
                                {&queryBuffer, dim},
                                {&valueBuffer, shape.valueDim},
                                {&decayBuffer, dim},
                                {&outputBuffer, shape.valueDim}})
      *buffer = t.shared({1, size}, full, /*swizzle=*/false);
  }

  Value stateOffset() {
    Value row = t.add(t.mul(t.wide(slot), t.i64(shape.heads)), head);
    return t.mul(row, t.i64(dim * shape.valueDim));
  }

  /// Where this token's vector of the head begins.
  Value tokenOffset(int64_t size) {
    return t.mul(t.add(t.mul(sequence, t.i64(shape.heads)), head), t.i64(size));
  }
  Value ofToken(Value base, int64_t size) {
    return t.load(t.bf16({size}, channels()), base, tokenOffset(size),
                  /*alignment=*/4);
  }

  /// All that does not depend on the slot.
  void loadInputs() {
    convolved = {{&k, &kConv, &kWindow, dim, &keyBuffer},
                 {&q, &qConv, &qWindow, dim, &queryBuffer},
                 {&v, &vConv, &vWindow, shape.valueDim, &valueBuffer}};
    for (Channel &own : convolved) {
      own.now = ofToken(*own.token, own.size);
      Value first = t.mul(head, t.i64(own.size * taps));
      for (int64_t tap = 0; tap < taps; ++tap)
        own.taps.push_back(t.load(t.f32({own.size}, channels()), *own.weights,
                                  t.add(first, t.i64(tap)), /*alignment=*/4,
                                  t.i64(taps)));
    }
    rawDecay = ofToken(g, dim);
    slope = t.element(aLog, head);
    bias = t.load(t.f32({dim}, channels()), dtBias, t.mul(head, t.i64(dim)),
                  /*alignment=*/8);
    logit = tile::LoadScalarOp::create(t.b, t.loc, t.b.getF32Type(), beta,
                                       tokenOffset(1));
    Value zero = t.i64(0);
    RankedTensorType line = outputType();
    norm = t.load(line, outputNorm, zero, 16, zero);
    gate = t.load(t.bf16(line.getShape(), line.getEncoding()), outputGate,
                  tokenOffset(shape.valueDim), 8, zero);
  }

  Value windowOffset(const Channel &own, int64_t tap) {
    Value row = t.add(t.mul(t.wide(slot), t.i64(taps - 1)), t.i64(tap));
    return t.add(t.mul(row, t.i64(shape.heads * own.size)),
                 t.mul(head, t.i64(own.size)));
  }

  /// All that does: windows, then the state.
  void loadMemory() {
    SmallVector<TileBuilder::Source> sources;
    for (const Channel &own : convolved)
      for (int64_t tap = 0; tap + 1 < taps; ++tap)
        sources.push_back({t.bf16({own.size}, channels()), *own.window,
                           windowOffset(own, tap), /*alignment=*/4, Value()});
    sources.push_back({stateType(), state, stateOffset(), 16, t.i64(dim)});
    SmallVector<Value> loaded = t.loadAllIf(resumed, sources);
    before = loaded.back();
    auto next = loaded.begin();
    for (Channel &own : convolved)
      for (int64_t tap = 0; tap + 1 < taps; ++tap)
        own.before.push_back(*next++);
  }

  /// silu(sum_j w_j x_(t-3+j)), rounded as the layer's activations are.
  Value convolve(const Channel &own) {
    Value sum = t.times(t.extend(own.now), own.taps.back());
    for (int64_t tap = 0; tap + 1 < taps; ++tap)
      sum = t.fma(t.extend(own.before[tap]), own.taps[tap], sum);
    return t.extend(t.truncate(t.silu(sum)));
  }

  void keepWindow(const Channel &own) {
    for (int64_t tap = 0; tap + 1 < taps; ++tap) {
      Value value = tap + 2 < taps ? own.before[tap + 1] : own.now;
      t.store(value, *own.window, windowOffset(own, tap), /*alignment=*/4);
    }
  }

  /// exp(g) of the gate map, in F32 throughout.
  Value decay() {
    Value a = t.exp2(t.times(slope, t.f32(M_LOG2E)));
    Value x = t.plus(t.extend(rawDecay), bias);
    Value logarithm;
    if (shape.lowerBound != 0)
      logarithm = t.times(t.sigmoid(t.times(x, a)), t.f32(shape.lowerBound));
    else
      logarithm = t.times(t.softplus(x), t.times(a, t.f32(-1.0)));
    return t.exp2(t.times(logarithm, t.f32(M_LOG2E)));
  }

  void vectors() {
    for (const Channel &own : convolved)
      t.storeShared(convolve(own), *own.buffer);
    t.storeShared(decay(), decayBuffer);
    t.barrier(); // copies of a window have been read before one is written
    t.when(kept, [&] {
      for (const Channel &own : convolved)
        keepWindow(own);
    });
  }

  /// S' = D S + k u^T with u = beta (v - (D S)^T k), and S'^T q. The norms of k
  /// and q are factors of sums along keys.
  Value recur() {
    RankedTensorType type = stateType();
    auto wide = [&](Value x) { return t.broadcast(x, type); };
    Value key = t.loadShared(keyType(), keyBuffer);
    Value query = t.loadShared(keyType(), queryBuffer);
    auto norm = [&](Value x) {
      return t.rsqrt(
          t.plus(t.sum(wide(t.times(x, x)), 1), t.f32(shape.normEpsilon)));
    };
    Value keyNorm = norm(key);
    Value queryNorm = t.times(norm(query), t.f32(1 / std::sqrt(double(dim))));
    Value decayed = t.times(before, wide(t.loadShared(keyType(), decayBuffer)));
    Value predicted = t.times(t.sum(t.times(decayed, wide(key)), 1), keyNorm);
    Value read = t.times(t.sum(t.times(decayed, wide(query)), 1), queryNorm);
    Value overlap = t.times(t.sum(wide(t.times(key, query)), 1),
                            t.times(keyNorm, queryNorm));
    Value strength = t.sigmoid(logit);
    Value wanted = t.loadShared(valueType(), valueBuffer);
    Value update = t.times(t.minus(wanted, predicted), strength);
    Value after =
        t.plus(decayed, t.times(wide(t.times(update, keyNorm)), wide(key)));
    t.when(kept, [&] { t.store(after, state, stateOffset(), 16, t.i64(dim)); });
    return t.fma(update, overlap, read);
  }

  /// RMSNorm over values, weight, sigmoid gate. Each warp does the whole row;
  /// the first one writes.
  void finish(Value output) {
    t.storeShared(output, outputBuffer);
    t.barrier();
    RankedTensorType type = outputType();
    Value x = t.loadRepeated(type, outputBuffer);
    Value mean = t.times(t.sum(t.times(x, x), 1), t.f32(1.0 / shape.valueDim));
    Value scale = t.rsqrt(t.plus(mean, t.f32(shape.rmsEpsilon)));
    x = t.times(t.times(x, t.broadcast(scale, type)), norm);
    x = t.times(x, t.sigmoid(t.extend(gate)));
    x = t.select(kept, x, t.zeros(type));
    t.store(t.truncate(x), o, tokenOffset(shape.valueDim), 8, t.i64(0),
            t.i32(1));
  }
};

LogicalResult checkDecode(ModuleOp module, const KdaShape &shape) {
  if (shape.heads < 1)
    return module.emitError("a KDA kernel has at least one head");
  for (int64_t dim : {shape.keyDim, shape.valueDim})
    if (dim != 64 && dim != 128 && dim != 256)
      return module.emitError() << "the tile kernel of KDA decode is for heads "
                                   "of 64, 128 or 256, got "
                                << dim;
  return success();
}

} // namespace

FailureOr<func::FuncOp> k3::buildKdaDecode(ModuleOp module,
                                           const KdaShape &shape) {
  if (failed(checkDecode(module, shape)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  TileBuilder t(builder, module.getLoc());
  Type half = t.globalOf(builder.getBF16Type()),
       full = t.globalOf(builder.getF32Type()),
       integer = t.globalOf(builder.getI32Type());
  auto type = builder.getFunctionType({half, half, half, half, half, half, full,
                                       full, full, full, full, full, half, half,
                                       half, full, half, integer, integer},
                                      {});
  auto kernel =
      func::FuncOp::create(builder, module.getLoc(), "kda_decode", type);
  kernel->setAttr("k3t.warps", builder.getI64IntegerAttr(warps));
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  DecodeBuilder(builder, kernel, shape).build();
  func::ReturnOp::create(builder, module.getLoc());
  return kernel;
}
