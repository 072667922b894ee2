// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KDA over many tokens in one kernel, a workgroup a sequence and head: only
// inputs and outputs touch device memory. Three roles pass a chunk on: load its
// raw inputs, prepare, recur; the last one, done with a stage, loads it again.

#include "KdaChunk.h"

using namespace mlir;
using namespace k3;

namespace {

constexpr int64_t stages = 2, recurWarps = 8;
// A thread starts with 128 registers; these are the shares that the roles trade
// them for.
constexpr int64_t recurRegisters = 176, prepareRegisters = 80;

class FusedPrefill : public KdaChunk {
public:
  FusedPrefill(OpBuilder &builder, func::FuncOp kernel, const KdaShape &shape)
      : KdaChunk(builder, kernel.getLoc(), shape, dim) {
    Value *names[] = {&q,      &k,     &v, &g,         &beta,  &aLog,
                      &dtBias, &state, &o, &cuSeqlens, &slots, &contextLens};
    for (auto [name, argument] : llvm::zip_equal(names, kernel.getArguments()))
      *name = argument;
  }

  void build() {
    Value block = t.blockId(), heads = t.i32(shape.heads);
    head = arith::RemUIOp::create(t.b, t.loc, block, heads);
    firstValue = t.i32(0);
    readSequence(arith::DivUIOp::create(t.b, t.loc, block, heads));
    allocate();
    SmallVector<Value> gate =
        t.role("prepare", prepareWarps, prepareRegisters,
               {t.b.getF32Type(), channels()},
               [&]() -> SmallVector<Value> { return gateMap(); });
    SmallVector<Value> carried = recurring(
        {stateType()}, [&]() -> SmallVector<Value> { return {loadState()}; });
    carried = t.loop(chunks, carried, [&](Value number, ValueRange values) {
      enter(number);
      load();
      prepare(gate[0], gate[1]);
      return recurring({stateType()}, [&]() -> SmallVector<Value> {
        return {step(values[0])};
      });
    });
    recurring({}, [&]() -> SmallVector<Value> {
      storeState(carried[0]);
      return {};
    });
  }

private:
  /// Buffers that roles hand on, and where this chunk's stage of them is kept.
  SmallVector<std::pair<Value *, Value>> buffers;

  SmallVector<Value> recurring(TypeRange results, TileBuilder::Body body) {
    return t.role("recur", recurWarps, recurRegisters, results, body);
  }

  void allocate() {
    Type bf16 = t.b.getBF16Type(), full = t.b.getF32Type();
    for (Value *stage : {&qStage, &kStage, &gStage, &vStage})
      buffers.push_back({stage, t.shared({chunk, dim}, bf16, true, stages)});
    for (Value *stage : {&scoreStage, &solveStage})
      buffers.push_back({stage, t.shared({chunk, chunk}, bf16, true, stages)});
    buffers.push_back({&decayStage, t.shared({dim}, full, false, stages)});
    // The scale of columns has stages as well: some warps read it while others
    // begin the next chunk.
    for (Value *stage : {&normStage, &scaleStage, &columnStage})
      buffers.push_back({stage, t.shared({chunk}, full, false, stages)});
    allocateWork();
  }

  void enter(Value number) {
    Value index = arith::RemUIOp::create(t.b, t.loc, number, t.i32(stages));
    for (auto [stage, buffer] : buffers)
      *stage = t.stage(buffer, index);
    enterChunk(number);
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

  void prepare(Value slope, Value offset) {
    t.role("prepare", prepareWarps, prepareRegisters, {},
           [&]() -> SmallVector<Value> {
             prepareChunk(slope, offset);
             return {};
           });
  }
};

} // namespace

FailureOr<func::FuncOp> k3::buildKdaPrefill(ModuleOp module,
                                            const KdaShape &shape) {
  if (failed(checkKdaChunks(module, shape)))
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
  kernel->setAttr("k3t.warps", builder.getI64IntegerAttr(2 * recurWarps));
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  FusedPrefill(builder, kernel, shape).build();
  func::ReturnOp::create(builder, module.getLoc());
  return kernel;
}
