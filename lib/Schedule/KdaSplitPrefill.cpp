// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KDA over many tokens in two kernels, for few heads: chunks are prepared by as
// many workgroups as there are chunks, and what the recurrence needs of them
// passes through a workspace in device memory. The serial part is then the
// recurrence alone, and its values are split over two workgroups a head.

#include "KdaChunk.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace k3;

namespace {

/// Elements of the workspace for one chunk of one head: Kd, Qd, Kr, the inverse
/// and the scores in BF16; decay, 1/|k| and the scale of q in F32.
constexpr int64_t factorSize = KdaChunk::chunk * KdaChunk::dim,
                  squareSize = KdaChunk::chunk * KdaChunk::chunk,
                  solveAt = 3 * factorSize, scoresAt = solveAt + squareSize,
                  factorsSize = scoresAt + squareSize;
constexpr int64_t normAt = KdaChunk::dim, scaleAt = normAt + KdaChunk::chunk,
                  vectorsSize = scaleAt + KdaChunk::chunk;

/// What both kernels know of the workspace. Sequence n has its chunks from
/// number cu_seqlens[n] / 64 + n on: that leaves room for every last chunk that
/// is not full, and no table is needed.
class SplitKernel : public KdaChunk {
protected:
  using KdaChunk::KdaChunk;
  Value factors, vectors;
  Value factorsAt, vectorsAt; ///< where this chunk begins

  Value firstChunk(Value sequence, Value token) {
    Value before = arith::DivUIOp::create(t.b, t.loc, token, t.i32(chunk));
    return t.add(before, sequence);
  }
  void enterWorkspace(Value number) {
    Value index =
        t.add(t.mul(t.wide(number), t.i64(shape.heads)), t.wide(head));
    factorsAt = t.mul(index, t.i64(factorsSize));
    vectorsAt = t.mul(index, t.i64(vectorsSize));
  }
};

class SplitPrepare : public SplitKernel {
public:
  SplitPrepare(OpBuilder &builder, func::FuncOp kernel, const KdaShape &shape)
      : SplitKernel(builder, kernel.getLoc(), shape, dim) {
    Value *names[] = {&q,      &k,       &g,       &beta,      &aLog,
                      &dtBias, &factors, &vectors, &cuSeqlens, &sequences};
    for (auto [name, argument] : llvm::zip_equal(names, kernel.getArguments()))
      *name = argument;
  }

  void build() {
    Value block = t.blockId(), heads = t.i32(shape.heads);
    head = arith::RemUIOp::create(t.b, t.loc, block, heads);
    Value number = arith::DivUIOp::create(t.b, t.loc, block, heads);
    Value sequence = find(number);
    Value index = t.wide(sequence);
    start = t.element(cuSeqlens, index);
    length = t.sub(t.element(cuSeqlens, t.add(index, t.i64(1))), start);
    stride = t.i64(shape.heads * dim);
    enterWorkspace(number);
    enterChunk(t.sub(number, firstChunk(sequence, start)));
    allocate();
    t.when(t.less(t.i32(0), rows), [&] {
      for (auto [source, buffer] :
           {std::pair{g, gStage}, {k, kStage}, {q, qStage}})
        t.copyAsync(source, first, stride, rows, buffer);
      SmallVector<Value> gate = gateMap();
      tile::CopyWaitOp::create(t.b, t.loc);
      t.barrier();
      prepareChunk(gate[0], gate[1]);
    });
  }

private:
  Value sequences;

  /// The last sequence whose first chunk is not beyond `number`, by halving.
  Value find(Value number) {
    Value count =
        arith::TruncIOp::create(t.b, t.loc, t.b.getI32Type(), sequences);
    Value last = t.sub(count, t.i32(1));
    Value steps =
        t.sub(t.i32(32), math::CountLeadingZerosOp::create(t.b, t.loc, last));
    return t.loop(steps, {t.i32(0), last}, [&](Value, ValueRange bounds) {
      Value sum = t.add(t.add(bounds[0], bounds[1]), t.i32(1));
      Value middle = arith::DivUIOp::create(t.b, t.loc, sum, t.i32(2));
      Value token = t.element(cuSeqlens, t.wide(middle));
      Value beyond = t.less(number, firstChunk(middle, token));
      return SmallVector<Value>{
          t.select(beyond, bounds[0], middle),
          t.select(beyond, t.sub(middle, t.i32(1)), bounds[1])};
    })[0];
  }

  void allocate() {
    Type bf16 = t.b.getBF16Type();
    for (Value *stage : {&qStage, &kStage, &gStage})
      *stage = t.shared({chunk, dim}, bf16, true);
    columnStage = t.shared({chunk}, t.b.getF32Type(), false);
    allocateWork();
  }

  void keepFactor(Factor which, Value tile, int64_t index) override {
    int64_t at = int64_t(which) * factorSize + index * slice * dim;
    t.store(tile, factors, t.add(factorsAt, t.i64(at)), /*alignment=*/4,
            t.i64(dim), {}, {}, segment);
  }
  void keepScores(Value bothWarpgroups) override {
    t.when(t.atLeast(t.warpId(), t.i32(4)),
           [&] { keepSquare(bothWarpgroups, scoresAt - squareSize); });
  }
  void keepSolve(Value bothWarpgroups) override {
    keepSquare(bothWarpgroups, solveAt);
  }
  void keepSquare(Value tile, int64_t at) {
    t.store(tile, factors, t.add(factorsAt, t.i64(at)), /*alignment=*/4,
            t.i64(chunk));
  }
  void keepVectors(Value norm, Value scale) override {
    t.store(norm, vectors, t.add(vectorsAt, t.i64(normAt)), 4);
    t.store(scale, vectors, t.add(vectorsAt, t.i64(scaleAt)), 4);
  }
  void keepDecay(Value decay) override {
    t.store(decay, vectors, vectorsAt, 8);
  }
};

constexpr int64_t recurStages = 3, recurValues = 64;

class SplitRecur : public SplitKernel {
public:
  SplitRecur(OpBuilder &builder, func::FuncOp kernel, const KdaShape &shape)
      : SplitKernel(builder, kernel.getLoc(), shape, recurValues) {
    Value *names[] = {&v,       &state,     &o,     &factors,
                      &vectors, &cuSeqlens, &slots, &contextLens};
    for (auto [name, argument] : llvm::zip_equal(names, kernel.getArguments()))
      *name = argument;
  }

  void build() {
    Value block = t.blockId(), parts = t.i32(dim / values),
          heads = t.i32(shape.heads);
    auto divide = [&](Value a, Value b) -> Value {
      return arith::DivUIOp::create(t.b, t.loc, a, b);
    };
    Value whole = divide(block, parts);
    firstValue = t.mul(t.sub(block, t.mul(whole, parts)), t.i32(values));
    Value sequence = divide(whole, heads);
    head = t.sub(whole, t.mul(sequence, heads));
    readSequence(sequence);
    Value before = firstChunk(sequence, start);
    allocate();
    SmallVector<Value> carried = recurring(
        {stateType()}, [&]() -> SmallVector<Value> { return {loadState()}; });
    carried = t.loop(chunks, carried, [&](Value number, ValueRange states) {
      enter(number, t.add(before, number));
      return recurring({stateType()}, [&]() -> SmallVector<Value> {
        return {step(states[0])};
      });
    });
    recurring({}, [&]() -> SmallVector<Value> {
      storeState(carried[0]);
      return {};
    });
  }

private:
  SmallVector<std::pair<Value *, Value>> buffers;

  SmallVector<Value> recurring(TypeRange results, TileBuilder::Body body) {
    return t.role("recur", values / 16, 0, results, body);
  }

  void allocate() {
    Type bf16 = t.b.getBF16Type(), full = t.b.getF32Type();
    for (Value *stage : {&gStage, &qStage, &kStage})
      buffers.push_back(
          {stage, t.shared({chunk, dim}, bf16, true, recurStages)});
    buffers.push_back(
        {&vStage, t.shared({chunk, values}, bf16, true, recurStages)});
    for (Value *stage : {&solveStage, &scoreStage})
      buffers.push_back(
          {stage, t.shared({chunk, chunk}, bf16, true, recurStages)});
    buffers.push_back({&decayStage, t.shared({dim}, full, false, recurStages)});
    for (Value *stage : {&normStage, &scaleStage})
      buffers.push_back({stage, t.shared({chunk}, full, false, recurStages)});
  }

  void enter(Value number, Value inWorkspace) {
    Value index =
        arith::RemUIOp::create(t.b, t.loc, number, t.i32(recurStages));
    for (auto [stage, buffer] : buffers)
      *stage = t.stage(buffer, index);
    enterChunk(number);
    enterWorkspace(inWorkspace);
    auto copy = [&]() -> SmallVector<Value> {
      auto factor = [&](int64_t at, int64_t width, Value buffer) {
        t.copyAsync(factors, t.add(factorsAt, t.i64(at)), t.i64(width), {},
                    buffer);
      };
      factor(int64_t(Factor::Kd) * factorSize, dim, gStage);
      factor(int64_t(Factor::Qd) * factorSize, dim, qStage);
      factor(int64_t(Factor::Kr) * factorSize, dim, kStage);
      factor(solveAt, chunk, solveStage);
      factor(scoresAt, chunk, scoreStage);
      auto vector = [&](int64_t at, Value buffer) {
        t.copyAsync(vectors, t.add(vectorsAt, t.i64(at)), {}, {}, buffer);
      };
      vector(0, decayStage);
      vector(normAt, normStage);
      vector(scaleAt, scaleStage);
      t.copyAsync(v, t.add(first, t.wide(firstValue)), stride, rows, vStage);
      return {};
    };
    t.role("load", values / 16, 0, {}, copy, /*with=*/"recur");
  }
};

/// A function of that name with pointers to these elements, then `integers`
/// numbers.
func::FuncOp makeKernel(OpBuilder &builder, ModuleOp module,
                        llvm::StringRef name, ArrayRef<Type> elements,
                        int64_t integers, int64_t warps) {
  TileBuilder t(builder, module.getLoc());
  SmallVector<Type> inputs;
  for (Type element : elements)
    inputs.push_back(t.globalOf(element));
  inputs.append(integers, builder.getI64Type());
  auto kernel = func::FuncOp::create(builder, module.getLoc(), name,
                                     builder.getFunctionType(inputs, {}));
  kernel->setAttr("k3t.warps", builder.getI64IntegerAttr(warps));
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  return kernel;
}

} // namespace

FailureOr<func::FuncOp> k3::buildKdaPrepare(ModuleOp module,
                                            const KdaShape &shape) {
  if (failed(checkKdaChunks(module, shape)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type half = builder.getBF16Type(), full = builder.getF32Type();
  func::FuncOp kernel = makeKernel(
      builder, module, "kda_prepare",
      {half, half, half, half, full, full, half, full, builder.getI32Type()},
      /*integers=*/1, /*warps=*/8);
  // Two workgroups share a multiprocessor and hide each other's waits.
  kernel->setAttr("k3t.workgroups", builder.getI64IntegerAttr(2));
  SplitPrepare(builder, kernel, shape).build();
  func::ReturnOp::create(builder, module.getLoc());
  return kernel;
}

FailureOr<func::FuncOp> k3::buildKdaRecur(ModuleOp module,
                                          const KdaShape &shape) {
  if (failed(checkKdaChunks(module, shape)))
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type half = builder.getBF16Type(), full = builder.getF32Type(),
       integer = builder.getI32Type();
  func::FuncOp kernel =
      makeKernel(builder, module, "kda_recur",
                 {half, full, half, half, full, integer, integer, integer},
                 /*integers=*/0, recurValues / 16);
  SplitRecur(builder, kernel, shape).build();
  func::ReturnOp::create(builder, module.getLoc());
  return kernel;
}
