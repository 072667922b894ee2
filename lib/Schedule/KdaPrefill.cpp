// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KDA over many tokens, in chunks of C = 64: the WY form of the Kimi Linear
// report, section 3, with all preparation in the same workgroup as the
// recurrence, so that only inputs and outputs touch device memory.
//
// With c the base-2 logarithm of the decay since the start of the chunk, three
// roles pass a chunk on:
//
//   load      q, k, g, v of the chunk, as they are
//   prepare   L = k 2^(c - m), likewise for q, R = k 2^(m - c); A_kk, A_qk by
//             products of these; T = (I + A_kk)^-1; Kd = k 2^c, Qd = q 2^c;
//             Kr = k 2^(c_C - c)
//   recur     U = T beta (v - Kd S); O = Qd S + A_qk U; S = 2^(c_C) S + Kr^T U
//
// The anchor m is c in the middle of each half of the chunk, so no exponent
// exceeds 16 tokens of the strongest decay; rows of the second half meet
// columns of the first one with k 2^(m - c) for their own anchor m, where the
// exponent is at most 0. Whatever underflows was below 2^-11 of its product.
// Norms of q and k never touch the elementwise work: that of k is a factor of
// rows and columns of T', that of q one of O.
//
// The state is kept transposed, S^T [V, K], in the accumulators of two
// warpgroups: that makes it the operand A of the next product.

#include "TileBuilder.h"

#include "k3/Schedule/KdaKernels.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace k3;

namespace {

constexpr int64_t chunk = 64, dim = 128, stages = 2;
constexpr int64_t segment = 16, slice = 2, slices = segment / slice;
constexpr int64_t half = chunk / 2, part = 32;
constexpr int64_t recurWarps = 8, prepareWarps = 8;
// A thread starts with 128 registers; these are the shares that the roles trade
// them for.
constexpr int64_t recurRegisters = 176, prepareRegisters = 80;

class PrefillBuilder {
public:
  PrefillBuilder(OpBuilder &builder, func::FuncOp kernel, const KdaShape &shape)
      : t(builder, kernel.getLoc()), kernel(kernel), shape(shape) {
    Value *names[] = {&q,      &k,     &v, &g,         &beta,  &aLog,
                      &dtBias, &state, &o, &cuSeqlens, &slots, &contextLens};
    for (auto [name, argument] : llvm::zip_equal(names, kernel.getArguments()))
      *name = argument;
  }

  void build() {
    locate();
    allocate();
    SmallVector<Value> gate =
        t.role("prepare", prepareWarps, prepareRegisters,
               {t.b.getF32Type(), channels()},
               [&]() -> SmallVector<Value> { return gateMap(); });
    SmallVector<Value> carried = {loadState()};
    carried = t.loop(chunks, carried, [&](Value step, ValueRange values) {
      enter(step);
      load();
      prepare(gate[0], gate[1]);
      return SmallVector<Value>{recur(values[0])};
    });
    storeState(carried[0]);
  }

private:
  TileBuilder t;
  func::FuncOp kernel;
  const KdaShape &shape;
  Value q, k, v, g, beta, aLog, dtBias, state, o, cuSeqlens, slots, contextLens;

  // Scalars of the workgroup.
  Value head, start, length, slot, kept, resumed, chunks, stride;
  // Buffers that roles hand on, and their stage of this chunk.
  Value qBuffer, kBuffer, gBuffer, vBuffer, scoreBuffer, solveBuffer,
      decayBuffer, normBuffer, scaleBuffer, columnBuffer;
  Value qStage, kStage, gStage, vStage, scoreStage, solveStage, decayStage,
      normStage, scaleStage, columnStage;
  // Buffers of the role prepare.
  Value right, far, left, leftQ, triangle, scratch, totals, rowScale;
  // Scalars of the chunk.
  Value rows, first;

  // Layouts of the role prepare: tokens in four segments of 16, each held by
  // one thread for two channels, so that sums along tokens need no shuffles.
  // Work goes two tokens of each segment at a time, which bounds registers.
  Attribute segments() { return t.blocked({1, 2, 2}, {1, 1, 32}, {4, 1, 2}); }
  RankedTensorType sliced() { return t.f32({4, slice, dim}, segments()); }
  RankedTensorType perSegment() {
    return t.f32({4, dim}, t.slice(1, segments()));
  }
  RankedTensorType channels() {
    return t.f32({dim}, t.slice(0, t.slice(1, segments())));
  }
  Value raw(Value buffer, int64_t index) {
    return t.extend(t.loadShared(t.bf16({4, slice, dim}, segments()), buffer,
                                 index * slice, segment));
  }
  void put(Value x, Value y, Value buffer, int64_t index, int64_t limit = 0) {
    t.storeShared(t.truncate(t.times(x, y)), buffer, index * slice, segment,
                  limit);
  }
  Value spread(Value perSegmentValue) {
    return t.broadcast(perSegmentValue, sliced());
  }
  Value everySegment(Value channelValue) {
    return t.broadcast(channelValue, perSegment());
  }
  Attribute rowsOf() { return t.slice(1, t.acc()); }
  Attribute columnsOf() { return t.slice(0, t.acc()); }

  void locate() {
    Value block = t.blockId();
    Value heads = t.i32(shape.heads);
    Value sequence = arith::DivUIOp::create(t.b, t.loc, block, heads);
    head = arith::RemUIOp::create(t.b, t.loc, block, heads);
    Value index = t.wide(sequence);
    start = t.element(cuSeqlens, index);
    Value end = t.element(cuSeqlens, t.add(index, t.i64(1)));
    length = t.sub(end, start);
    slot = t.element(slots, index);
    Value before = t.element(contextLens, index);
    kept = t.atLeast(slot, t.i32(0));
    resumed = arith::AndIOp::create(t.b, t.loc, kept, t.less(t.i32(0), before));
    chunks = arith::DivSIOp::create(t.b, t.loc, t.add(length, t.i32(chunk - 1)),
                                    t.i32(chunk));
    stride = t.i64(shape.heads * dim);
  }

  void allocate() {
    Type bf16 = t.b.getBF16Type(), full = t.b.getF32Type();
    for (Value *buffer : {&qBuffer, &kBuffer, &gBuffer, &vBuffer})
      *buffer = t.shared({chunk, dim}, bf16, /*swizzle=*/true, stages);
    for (Value *buffer : {&scoreBuffer, &solveBuffer})
      *buffer = t.shared({chunk, chunk}, bf16, true, stages);
    decayBuffer = t.shared({dim}, full, false, stages);
    // Some warps read the scale of columns while others begin the next chunk.
    // The scale of columns has stages as well: some warps read it while others
    // begin the next chunk.
    for (Value *buffer : {&normBuffer, &scaleBuffer, &columnBuffer})
      *buffer = t.shared({chunk}, full, false, stages);
    for (Value *buffer : {&right, &left, &leftQ})
      *buffer = t.shared({chunk, dim}, bf16, true);
    far = t.shared({half, dim}, bf16, true);
    // The factors have been used before the triangle is written.
    triangle = t.shared({64, 64}, full, false, 1, /*pad=*/4, /*over=*/right);
    scratch = t.shared({32, 32}, full, false, 1, /*pad=*/4, /*over=*/left);
    totals = t.shared({4, dim}, full, false);
    rowScale = t.shared({chunk}, full, false);
  }

  void enter(Value step) {
    Value index = arith::RemUIOp::create(t.b, t.loc, step, t.i32(stages));
    for (auto [stage, buffer] : {std::pair{&qStage, qBuffer},
                                 {&kStage, kBuffer},
                                 {&gStage, gBuffer},
                                 {&vStage, vBuffer},
                                 {&scoreStage, scoreBuffer},
                                 {&solveStage, solveBuffer},
                                 {&normStage, normBuffer},
                                 {&decayStage, decayBuffer},
                                 {&scaleStage, scaleBuffer},
                                 {&columnStage, columnBuffer}})
      *stage = t.stage(buffer, index);
    Value token = t.mul(step, t.i32(chunk));
    rows = t.sub(length, token);
    first = t.add(t.mul(t.wide(t.add(start, token)), stride),
                  t.wide(t.mul(head, t.i32(dim))));
  }

  void load() {
    auto copy = [&]() -> SmallVector<Value> {
      for (auto [source, buffer] :
           {std::pair{g, gStage}, {k, kStage}, {q, qStage}, {v, vStage}})
        t.copyAsync(source, first, stride, rows, buffer);
      return {};
    };
    t.role("load", recurWarps, recurRegisters, {}, copy, /*with=*/"recur");
  }

  /// The sigmoid of the gate map is 1 / (1 + 2^(slope z + offset)).
  SmallVector<Value> gateMap() {
    Value a = t.element(aLog, t.wide(head));
    Value slope = t.times(t.exp2(t.times(a, t.f32(M_LOG2E))), t.f32(-M_LOG2E));
    Value bias = t.load(channels(), dtBias, t.wide(t.mul(head, t.i32(dim))),
                        /*alignment=*/8);
    return {slope, t.times(bias, slope)};
  }

  void prepare(Value slope, Value offset) {
    t.role("prepare", prepareWarps, prepareRegisters, {},
           [&]() -> SmallVector<Value> {
             Value logits = strengthLogits();
             SmallVector<Value> sums = decays(slope, offset);
             norms(logits);
             t.barrier();
             factors(sums);
             products();
             solve();
             return {};
           });
  }

  /// Sums of sigmoids inside each segment, slice by slice; leaves the totals.
  /// A logarithm is the sigmoid times `unit`.
  SmallVector<Value> decays(Value slope, Value offset) {
    RankedTensorType type = sliced();
    Value shift = spread(everySegment(offset)), carry;
    SmallVector<Value> values, out;
    // Step by step over all slices: the chain of one value is long.
    for (int64_t index = 0; index < slices; ++index)
      values.push_back(t.exp2(t.fma(raw(gStage, index), slope, shift)));
    for (Value &value : values)
      value = t.reciprocal(t.plus(value, t.f32(1.0)));
    for (int64_t index = 0; index < slices; ++index) {
      Value token =
          t.add(t.add(t.mul(t.iota(0, type), t.i32(segment)), t.iota(1, type)),
                t.i32(index * slice));
      Value sums =
          t.scan(t.select(t.less(token, rows), values[index], t.f32(0.0)), 1);
      if (carry)
        sums = t.plus(sums, spread(carry));
      carry = t.last(sums, 1);
      out.push_back(sums);
    }
    t.storeShared(carry, totals);
    return out;
  }

  /// Rows of q and k, each held by four lanes, and vectors of one element a
  /// row.
  Attribute tokenRows() { return t.blocked({1, 8}, {8, 4}, {8, 1}); }
  RankedTensorType perToken() {
    return t.f32({chunk}, t.slice(1, tokenRows()));
  }
  Value strengthLogits() {
    // `first` counts elements of q; beta has one where q has a head.
    Value offset = arith::DivSIOp::create(t.b, t.loc, first, t.i64(dim));
    return t.load(perToken(), beta, offset, /*alignment=*/2, t.i64(shape.heads),
                  rows);
  }

  /// What scales rows and columns of the products, one number a token.
  void norms(Value logits) {
    auto inverseNorm = [&](Value buffer) {
      Value x =
          t.extend(t.loadShared(t.bf16({chunk, dim}, tokenRows()), buffer));
      return t.rsqrt(t.plus(t.sum(t.times(x, x), 1), t.f32(shape.normEpsilon)));
    };
    Value key = inverseNorm(kStage), query = inverseNorm(qStage);
    Value strength = t.select(t.less(t.iota(0, perToken()), rows),
                              t.sigmoid(logits), t.f32(0.0));
    Value scaled = t.times(strength, key);
    t.storeShared(key, normStage);
    t.storeShared(t.times(query, t.f32(1 / std::sqrt(double(dim)))),
                  scaleStage);
    t.storeShared(scaled, columnStage);
    t.storeShared(t.times(scaled, key), rowScale);
  }

  /// Writes every factor of the products to come.
  void factors(ArrayRef<Value> sums) {
    Value total[4], prefix[5];
    for (int64_t i = 0; i < 4; ++i) {
      total[i] = t.times(t.loadShared(channels(), totals, i), unit());
      prefix[i + 1] = i ? t.plus(prefix[i], total[i]) : total[0];
    }
    RankedTensorType type = perSegment();
    Value segment = t.iota(0, type), zero = t.f32(0.0);
    Value upper = t.atLeast(segment, t.i32(2));
    auto is = [&](int64_t number) {
      return arith::CmpIOp::create(t.b, t.loc, arith::CmpIPredicate::eq,
                                   segment, t.splat(t.i32(number), type));
    };
    auto each = [&](Value x) { return everySegment(x); };
    // What separates a segment's sums from those since its anchor.
    Value shift =
        t.select(is(0), each(total[0]), t.select(is(2), each(total[2]), zero));
    // From the anchor back to the middle or the start of the chunk.
    Value toMiddle = t.exp2(t.select(upper, each(total[2]), zero));
    Value toStart = t.exp2(t.select(upper, each(prefix[2]), each(prefix[1])));
    // From the anchor on to the end of its half, then to the end of the chunk
    // or, for the first half, to the anchor of the second one.
    Value toHalf = t.exp2(t.select(upper, each(total[3]), each(total[1])));
    Value rest = t.minus(prefix[4], prefix[2]);
    Value toEnd = t.exp2(t.select(upper, zero, each(rest)));
    Value toAnchor = t.exp2(each(total[2]));

    // Rows eight apart have their bytes at the same swizzled place: together,
    // they share pointers.
    for (int64_t step = 0; step < slices; ++step) {
      int64_t index = step / 2 + step % 2 * (slices / 2);
      Value exponent = t.minus(t.times(sums[index], unit()), spread(shift));
      Value down = t.exp2(exponent), up = t.exp2(t.minus(zero, exponent));
      Value key = raw(kStage, index), query = raw(qStage, index);
      put(key, down, left, index);
      put(query, down, leftQ, index);
      Value whole = t.times(t.times(down, spread(toMiddle)), spread(toStart));
      put(key, whole, gStage, index);
      put(query, whole, qStage, index);
      put(key, up, right, index);
      Value late = t.times(up, spread(toHalf));
      put(key, t.times(late, spread(toAnchor)), far, index, half);
      put(key, t.times(late, spread(toEnd)), kStage, index);
    }
    t.storeShared(t.exp2(prefix[4]), decayStage);
    t.fenceShared();
    t.barrier();
  }
  Value unit() { return t.f32(shape.lowerBound * M_LOG2E); }

  /// A_kk (64 rows of the tile, the first warpgroup) and A_qk (the second).
  /// With D = diag(1 / |k|), what is inverted is D A_kk D^-1: then columns need
  /// no scale here, and rows of the inverse need none.
  void products() {
    RankedTensorType halfType = t.f32({2 * chunk, half}, t.acc());
    t.wgmmaFence({});
    Value near = t.wgmma(halfType, {left, leftQ}, {right});
    Value across = t.wgmma(halfType, {left, leftQ}, {far});
    Value late = t.wgmma(halfType, {left, leftQ}, {right}, {}, false, half);
    t.wgmmaCommit();
    SmallVector<Value> done = t.wgmmaWait(0, {near, across, late});
    t.barrier(); // the triangle takes the place of `far`

    Value token = t.bitAnd(t.iota(0, halfType), t.i32(chunk - 1));
    Value early = t.select(t.atLeast(token, t.i32(half)), done[1], done[0]);
    Value product = t.concat(early, done[2]);
    auto type = cast<RankedTensorType>(product.getType());
    Value isQuery = secondWarpgroup();
    RankedTensorType rowType = t.f32({2 * chunk}, rowsOf());
    Value scale = t.select(isQuery, t.splat(t.f32(1.0), rowType),
                           t.loadRepeated(rowType, rowScale));
    Value least = t.select(isQuery, t.i32(0), t.i32(1));
    Value row = t.sub(t.bitAnd(t.iota(0, type), t.i32(chunk - 1)), least);
    product = t.select(t.atLeast(row, t.iota(1, type)),
                       t.times(product, t.broadcast(scale, type)), t.f32(0.0));
    t.storeOfWarpgroup(0, product, triangle);
    t.storeOfWarpgroup(1, t.truncate(product), scoreStage);
  }
  Value secondWarpgroup() { return t.atLeast(t.warpId(), t.i32(4)); }

  /// T' = (I + A')^-1 diag(beta / |k|).
  void solve() {
    tile::UnitLowerInverseOp::create(t.b, t.loc, triangle, scratch);
    t.when(t.less(t.warpId(), t.i32(4)), [&] {
      RankedTensorType type = t.f32({2 * chunk, chunk}, t.acc());
      Value inverse = t.loadRepeated(type, triangle);
      Value scale = t.loadShared(t.f32({chunk}, columnsOf()), columnStage);
      t.storeOfWarpgroup(0,
                         t.truncate(t.times(inverse, t.broadcast(scale, type))),
                         solveStage);
    });
  }

  RankedTensorType stateType() { return t.f32({dim, dim}, t.acc()); }
  Value stateOffset() {
    Value row = t.add(t.mul(t.wide(slot), t.i64(shape.heads)), t.wide(head));
    return t.mul(row, t.i64(dim * dim));
  }
  Value loadState() {
    return t.role("recur", recurWarps, recurRegisters, {stateType()},
                  [&]() -> SmallVector<Value> {
                    return t.loadAllIf(
                        resumed,
                        {{stateType(), state, stateOffset(), 8, t.i64(dim)}});
                  })[0];
  }
  void storeState(Value value) {
    t.role(
        "recur", recurWarps, recurRegisters, {}, [&]() -> SmallVector<Value> {
          t.when(kept,
                 [&] { t.store(value, state, stateOffset(), 8, t.i64(dim)); });
          return {};
        });
  }

  Value recur(Value before) {
    return t.role("recur", recurWarps, recurRegisters, {stateType()},
                  [&]() -> SmallVector<Value> { return {step(before)}; })[0];
  }

  /// The state fills half of the registers, so outputs go by halves of the
  /// chunk.
  Value step(Value before) {
    RankedTensorType type = t.f32({dim, half}, t.acc());
    Value operand = t.wgmmaFence({t.truncate(before)})[0];
    SmallVector<Value> parts;
    for (int64_t token : {0l, half})
      parts.push_back(t.wgmma(type, {operand}, {gStage}, {}, false, token));
    t.wgmmaCommit();
    parts = t.wgmmaWait(0, parts);
    for (int64_t index : {0, 1})
      parts[index] = error(parts[index], index * half);
    Value error = t.wgmmaFence({t.concat(parts[0], parts[1])})[0];
    for (int64_t index : {0, 1}) {
      Value part =
          t.wgmma(type, {error}, {solveStage}, {}, false, index * half);
      t.wgmmaCommit();
      parts[index] = t.truncate(t.wgmmaWait(0, {part})[0]);
      error = t.wgmmaFence({error})[0];
    }
    Value change = t.concat(parts[0], parts[1]);
    Value decay = t.broadcast(
        t.loadShared(t.f32({dim}, columnsOf()), decayStage), stateType());
    SmallVector<Value> fenced = t.wgmmaFence({change, t.times(before, decay)});
    change = fenced[0];
    Value after = t.wgmma(stateType(), {change}, {kStage}, fenced[1],
                          /*transposeB=*/true);
    t.wgmmaCommit();
    after = t.wgmmaWait(0, {after})[0];
    for (int64_t token = 0; token < chunk; token += part)
      put(t.wgmmaWait(0, {output(operand, change, token)})[0], token);
    write();
    return after;
  }

  /// v - k S of 32 tokens, transposed.
  Value error(Value read, int64_t token) {
    auto type = cast<RankedTensorType>(read.getType());
    Value norm = t.broadcast(
        t.loadShared(t.f32({half}, columnsOf()), normStage, token), type);
    Value wanted =
        t.extend(t.loadTransposed(t.bf16({dim, half}, t.acc()), vStage, token));
    return t.truncate(t.minus(wanted, t.times(read, norm)));
  }

  /// O^T of 32 tokens, before its scale.
  Value output(Value operand, Value change, int64_t token) {
    RankedTensorType type = t.f32({dim, part}, t.acc());
    Value sum = t.wgmma(type, {operand}, {qStage}, {}, false, token);
    sum = t.wgmma(type, {change}, {scoreStage}, sum, false, token);
    t.wgmmaCommit();
    return sum;
  }
  /// O of 32 tokens in place of their Qd, once every warp has used that.
  void put(Value sum, int64_t token) {
    t.barrier();
    Value scale =
        t.broadcast(t.loadShared(t.f32({part}, columnsOf()), scaleStage, token),
                    cast<RankedTensorType>(sum.getType()));
    Value output = t.truncate(t.times(sum, scale));
    Value none = t.truncate(t.zeros(cast<RankedTensorType>(sum.getType())));
    t.storeTransposed(t.select(kept, output, none), qStage, token);
  }

  void write() {
    t.barrier();
    Attribute lines = t.blocked({1, 8}, {2, 16}, {8, 1});
    Value tile = t.loadShared(t.bf16({chunk, dim}, lines), qStage);
    t.store(tile, o, first, 16, stride, rows);
  }
};

} // namespace

static LogicalResult checkShape(ModuleOp module, const KdaShape &shape) {
  if (shape.heads < 1)
    return module.emitError("a KDA kernel has at least one head");
  if (shape.keyDim != dim || shape.valueDim != dim)
    return module.emitError() << "the tile kernel of KDA prefill is for heads "
                                 "of 128 x 128, got "
                              << shape.keyDim << " x " << shape.valueDim;
  if (!(shape.lowerBound < 0))
    return module.emitError(
        "KDA prefill needs a bounded gate: without a bound on its logarithm, "
        "the decay of 16 tokens may leave the range of F32");
  double exponent = -shape.lowerBound * M_LOG2E * segment;
  if (exponent >= 126)
    return module.emitError(
        llvm::formatv("decays of {0} tokens reach 2^-{1:F0}, and F32 ends at "
                      "2^-126: wanted a "
                      "lower bound from -5.45 to 0, got {2:F2}",
                      segment, exponent, shape.lowerBound));
  return success();
}

FailureOr<func::FuncOp> k3::buildKdaPrefill(ModuleOp module,
                                            const KdaShape &shape) {
  if (failed(checkShape(module, shape)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  TileBuilder t(builder, module.getLoc());
  Type half = t.globalOf(builder.getBF16Type()),
       full = t.globalOf(builder.getF32Type()),
       integer = t.globalOf(builder.getI32Type());
  auto type = builder.getFunctionType({half, half, half, half, half, full, full,
                                       full, half, integer, integer, integer},
                                      {});
  auto kernel =
      func::FuncOp::create(builder, module.getLoc(), "kda_prefill", type);
  kernel->setAttr("k3t.warps",
                  builder.getI64IntegerAttr(recurWarps + prepareWarps));
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  PrefillBuilder(builder, kernel, shape).build();
  func::ReturnOp::create(builder, module.getLoc());
  return kernel;
}
