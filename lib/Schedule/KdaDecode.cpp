// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KDA for one token a sequence, in one launch and in place. A workgroup owns a
// head of a sequence: its window, its state and its norm. The state is read
// and written once, in 16-byte pieces, and its loads are under way while the
// vectors are prepared; everything else is small.

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
    Value before =
        t.loadIf(resumed, stateType(), state, stateOffset(), 16, t.i64(dim));
    vectors();
    Value output = recur(before);
    finish(output);
  }

private:
  TileBuilder t;
  const KdaShape &shape;
  int64_t dim;
  Value q, k, v, g, beta, outputGate, qConv, kConv, vConv, aLog, dtBias,
      outputNorm, qWindow, kWindow, vWindow, state, o, slots, contextLens;
  Value sequence, head, slot, kept, resumed;
  Value keyBuffer, queryBuffer, valueBuffer, decayBuffer, outputBuffer;

  /// Rows are values, columns are keys: four rows of 32 keys a warp at a time.
  Attribute stateLayout() { return t.blocked({1, 4}, {4, 8}, {warps, 1}); }
  RankedTensorType stateType() {
    return t.f32({shape.valueDim, dim}, stateLayout());
  }
  RankedTensorType keyType() { return t.f32({dim}, t.slice(0, stateLayout())); }
  RankedTensorType valueType() {
    return t.f32({shape.valueDim}, t.slice(1, stateLayout()));
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

  /// The head's vector of this token.
  Value ofToken(Value base, int64_t size) {
    Value row = t.add(t.mul(sequence, t.i64(shape.heads)), head);
    return t.extend(t.load(t.bf16({size}, channels()), base,
                           t.mul(row, t.i64(size)), /*alignment=*/4));
  }

  struct Convolved {
    Value result;
    SmallVector<Value> window; ///< BF16, what the slot keeps
    Value base, offset;
    int64_t size;
  };

  /// silu(sum_j w_j x_(t-3+j)), rounded as the layer's activations are.
  Convolved convolve(Value token, Value weights, Value base, int64_t size) {
    Convolved out;
    Value now = ofToken(token, size);
    Value channel = t.mul(head, t.i64(size));
    Value row = t.i64(shape.heads * size);
    out.base = base;
    out.size = size;
    out.offset = t.add(
        t.mul(t.wide(slot), t.i64((taps - 1) * shape.heads * size)), channel);
    RankedTensorType stored = t.bf16({size}, channels());
    RankedTensorType exact = t.f32({size}, channels());
    Value sum;
    for (int64_t tap = 0; tap < taps; ++tap) {
      Value x = now;
      if (tap + 1 < taps) {
        Value at = t.add(out.offset, t.mul(row, t.i64(tap)));
        Value old = t.loadIf(resumed, stored, base, at, /*alignment=*/4);
        if (tap > 0)
          out.window.push_back(old);
        x = t.extend(old);
      }
      Value weight =
          t.load(exact, weights, t.add(t.mul(channel, t.i64(taps)), t.i64(tap)),
                 /*alignment=*/4, t.i64(taps));
      sum = sum ? t.fma(x, weight, sum) : t.times(x, weight);
    }
    out.window.push_back(t.truncate(now));
    out.result = t.extend(t.truncate(t.silu(sum)));
    return out;
  }

  void keepWindow(const Convolved &own) {
    t.when(kept, [&] {
      Value row = t.i64(shape.heads * own.size);
      for (auto [tap, value] : llvm::enumerate(own.window))
        t.store(value, own.base, t.add(own.offset, t.mul(row, t.i64(tap))),
                /*alignment=*/4);
    });
  }

  /// exp(g) of the gate map, in F32 throughout.
  Value decay() {
    Value a = t.exp2(t.times(t.element(aLog, head), t.f32(M_LOG2E)));
    Value bias = t.load(t.f32({dim}, channels()), dtBias,
                        t.mul(head, t.i64(dim)), /*alignment=*/8);
    Value x = t.plus(ofToken(g, dim), bias);
    Value logarithm;
    if (shape.lowerBound != 0)
      logarithm = t.times(t.sigmoid(t.times(x, a)), t.f32(shape.lowerBound));
    else
      logarithm = t.times(t.softplus(x), t.times(a, t.f32(-1.0)));
    return t.exp2(t.times(logarithm, t.f32(M_LOG2E)));
  }

  void vectors() {
    Convolved key = convolve(k, kConv, kWindow, dim);
    Convolved query = convolve(q, qConv, qWindow, dim);
    Convolved value = convolve(v, vConv, vWindow, shape.valueDim);
    t.storeShared(key.result, keyBuffer);
    t.storeShared(query.result, queryBuffer);
    t.storeShared(value.result, valueBuffer);
    t.storeShared(decay(), decayBuffer);
    t.barrier(); // copies of a window have been read before one is written
    for (const Convolved &own : {key, query, value})
      keepWindow(own);
  }

  /// S' = D S + k u^T with u = beta (v - (D S)^T k), and S'^T q. The norms of k
  /// and q are factors of sums along keys.
  Value recur(Value before) {
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
    Value row = t.add(t.mul(sequence, t.i64(shape.heads)), head);
    Value strength = t.sigmoid(
        tile::LoadScalarOp::create(t.b, t.loc, t.b.getF32Type(), beta, row));
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
    int64_t size = shape.valueDim;
    Attribute layout = t.blocked({1, 4}, {1, 32}, {warps, 1});
    RankedTensorType type = t.f32({warps, size}, layout);
    Value x = t.loadRepeated(type, outputBuffer);
    Value mean = t.times(t.sum(t.times(x, x), 1), t.f32(1.0 / size));
    Value scale = t.rsqrt(t.plus(mean, t.f32(shape.rmsEpsilon)));
    x = t.times(x, t.broadcast(scale, type));
    Value zero = t.i64(0);
    x = t.times(x, t.load(type, outputNorm, zero, 16, zero));
    Value row =
        t.mul(t.add(t.mul(sequence, t.i64(shape.heads)), head), t.i64(size));
    Value gate = t.extend(
        t.load(t.bf16({warps, size}, layout), outputGate, row, 8, zero));
    x = t.times(x, t.sigmoid(gate));
    x = t.select(kept, x, t.f32(0.0));
    t.store(t.truncate(x), o, row, 8, zero, t.i32(1));
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
