// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a chunked recurrence in one kernel: a workgroup walks the chunks
// of one sequence for one head, step after step on tiles in scratch.

#include "LowerChunks.h"

#include "Anchors.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>
#include <optional>

using namespace mlir;

namespace k3 {

static int64_t dim(Value tensor, unsigned index) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(index);
}

/// (sum, error) of two numbers, exact together.
static std::pair<Value, Value> twoSum(VectorMath &math, Value a, Value b) {
  Value sum = math.addF(a, b), part = math.subF(sum, a);
  Value error =
      math.addF(math.subF(a, math.subF(sum, part)), math.subF(b, part));
  return {sum, error};
}

static void lowerDecay(ChunkTiles &tiles, ChunkDecayOp op) {
  VectorMath &math = tiles.math;
  auto next = [&](ValueRange carried, Value step) -> VectorMath::Values {
    auto [sum, error] = twoSum(math, carried[0], step);
    return {sum, math.addF(carried[1], error)};
  };
  if (tiles.isScalar(op.getResult())) {
    Value g = tiles.columnOf(op.getG());
    Value high = tiles.allocateColumn(), low = tiles.allocateColumn();
    math.loop(
        math.index(0), tiles.limit(), 1, {math.scalar(0.0), math.scalar(0.0)},
        [&](Value row, ValueRange carried) -> VectorMath::Values {
          VectorMath::Values sums = next(carried, math.loadScalar(g, {row}));
          math.storeScalar(sums[0], high, {row});
          math.storeScalar(sums[1], low, {row});
          return sums;
        });
    tiles.defineColumn(op.getResult(), high);
    tiles.defineLowColumn(op.getResult(), low);
    return;
  }
  Tile g = tiles.rowsOf(op.getG());
  Tile high = tiles.allocate(g.width), low = tiles.allocate(g.width);
  tiles.forEachVector(g.width, [&](Value column) {
    Value zero = math.splat(0.0, tileLanes);
    math.loop(math.index(0), tiles.limit(), 1, {zero, zero},
              [&](Value row, ValueRange carried) -> VectorMath::Values {
                VectorMath::Values sums = next(
                    carried, math.load(g.memory, {row, column}, tileLanes));
                math.store(sums[0], high.memory, {row, column});
                math.store(sums[1], low.memory, {row, column});
                return sums;
              });
  });
  tiles.define(op.getResult(), high);
  tiles.defineLow(op.getResult(), low);
}

static void lowerTiedKey(ChunkTiles &tiles, ChunkTiedKeyOp op) {
  VectorMath &math = tiles.math;
  Tile g = tiles.rowsOf(op.getG()), out = tiles.allocate(g.width);
  tiles.forEachRow(out.width, [&](Value row, Value column) {
    Value step = math.load(g.memory, {row, column}, tileLanes);
    math.store(math.oneMinusExp(step), out.memory, {row, column});
  });
  tiles.define(op.getResult(), out);
}

/// Row p = e_p + s_p sum_{j<p} A[p, j] row j, top to bottom.
static void lowerInverse(ChunkTiles &tiles, ChunkInverseOp op) {
  VectorMath &math = tiles.math;
  Tile gram = tiles.rowsOf(op.getGram());
  Value beta = op.getBeta() ? tiles.columnOf(op.getBeta()) : Value();
  Tile out = tiles.allocate(tiles.size);
  math.loop(math.index(0), tiles.limit(), 1, [&](Value row) {
    tiles.forEachVector(out.width, [&](Value column) {
      Value sum =
          math.loop(math.index(0), row, 1, {math.splat(0.0, tileLanes)},
                    [&](Value j, ValueRange sum) -> VectorMath::Values {
                      return {math.fma(
                          math.loadSplat(gram.memory, {row, j}, tileLanes),
                          math.load(out.memory, {j, column}, tileLanes),
                          sum[0])};
                    })
              .front();
      if (beta)
        sum = math.subF(math.splat(0.0, tileLanes),
                        math.mulF(math.loadSplat(beta, {row}, tileLanes), sum));
      math.store(sum, out.memory, {row, column});
    });
    math.storeScalar(math.scalar(1.0), out.memory, {row, row});
  });
  tiles.define(op.getResult(), out);
}

static void lowerWU(ChunkTiles &tiles, ChunkWUOp op) {
  VectorMath &math = tiles.math;
  bool lowRank = op.getErase() == Erase::LowRank;
  bool scales = op.getWrite() == Write::BetaValue;
  // Products with lower triangular matrices end with the block's last row.
  auto depth = [&](Value row) { return math.add(row, tileRows); };
  Tile inverse = tiles.rowsOf(op.getInverse());
  Tile seen = tiles.decayed(op.getY(), DecayFactor::FromStart, op.getDecay(),
                            op.getG());
  Tile values = tiles.written(op.getV(), scales ? op.getBeta() : Value());
  Value beta = lowRank ? Value() : tiles.columnOf(op.getBeta());
  Tile keys = tiles.allocate(seen.width);
  tiles.forEachRow(keys.width, [&](Value row, Value column) {
    Value by = beta ? math.loadSplat(beta, {row}, tileLanes)
                    : math.splat(-1.0, tileLanes);
    Value key = math.load(seen.memory, {row, column}, tileLanes);
    math.store(math.mulF(key, by), keys.memory, {row, column});
  });
  if (lowRank) {
    Tile products = tiles.allocate(values.width);
    tiles.multiply(products, tiles.rowsOf(op.getGram()), values, depth);
    values = products;
  }
  Tile w = tiles.allocate(keys.width), u = tiles.allocate(values.width);
  tiles.multiply(w, inverse, keys, depth);
  tiles.multiply(u, inverse, values, depth);
  tiles.define(op.getW(), w);
  tiles.define(op.getU(), u);
}

/// scale * weight + eps for each row.
static Value divisors(ChunkTiles &tiles, ChunkOutputOp op) {
  VectorMath &math = tiles.math;
  Tile gram = tiles.rowsOf(op.getGram());
  Value weight = tiles.columnOf(op.getWeight());
  Value beta = op.getBeta() ? tiles.columnOf(op.getBeta()) : Value();
  Value out = tiles.allocateColumn();
  math.loop(math.index(0), tiles.limit(), 1, [&](Value row) {
    Value total =
        math.loop(math.index(0), math.add(row, 1), 1,
                  {math.loadScalar(weight, {row})},
                  [&](Value j, ValueRange sum) -> VectorMath::Values {
                    Value part = math.loadScalar(gram.memory, {row, j});
                    if (beta)
                      return {
                          math.fma(part, math.loadScalar(beta, {j}), sum[0])};
                    return {math.addF(part, sum[0])};
                  })
            .front();
    math.storeScalar(
        math.fma(total, math.scalar(op.getScale().convertToDouble()),
                 math.scalar(op.getNormalizerEps()->convertToDouble())),
        out, {row});
  });
  return out;
}

static void lowerOutput(ChunkTiles &tiles, ChunkOutputOp op) {
  VectorMath &math = tiles.math;
  bool scales = op.getWrite() == Write::BetaValue;
  Tile out = tiles.allocate(dim(op.getResult(), 2));
  Tile from = tiles.rowsOf(op.getRead());
  auto depth = [&](Value row) { return math.add(row, tileRows); };
  auto add = [&](Value gram, Tile values) {
    TileProduct product;
    product.a = tiles.rowsOf(gram);
    product.b = values;
    product.rowFrom = math.index(0);
    product.rowTo = tiles.limit();
    auto start = [&](Value row, Value column) {
      return math.load(from.memory, {row, column}, tileLanes);
    };
    auto finish = [&](Value sum, Value row, Value column) {
      math.store(sum, out.memory, {row, column});
    };
    product.depth = depth;
    product.start = start;
    product.finish = finish;
    tiles.multiply(product);
    from = out;
  };
  if (op.getPseudo())
    add(op.getEraseGram() ? op.getEraseGram() : op.getGram(),
        tiles.rowsOf(op.getPseudo()));
  if (op.getV())
    add(op.getGram(),
        tiles.written(op.getV(), scales ? op.getBeta() : Value()));
  Value divisor = op.getWeight() ? divisors(tiles, op) : Value();
  Value scale = math.splat(op.getScale().convertToDouble(), tileLanes);
  tiles.forEachRow(out.width, [&](Value row, Value column) {
    Value sum =
        math.mulF(math.load(out.memory, {row, column}, tileLanes), scale);
    if (divisor)
      sum = math.divF(sum, math.loadSplat(divisor, {row}, tileLanes));
    math.store(sum, out.memory, {row, column});
  });
  tiles.define(op.getResult(), out);
}

static void lowerStep(ChunkTiles &tiles, ChunkOpInterface step,
                      ChunkState *state) {
  llvm::TypeSwitch<Operation *>(step)
      .Case([&](ChunkDecayOp op) { lowerDecay(tiles, op); })
      .Case([&](ChunkTiedKeyOp op) { lowerTiedKey(tiles, op); })
      .Case([&](ChunkGramOp op) {
        tiles.define(op.getResult(), lowerChunkGram(tiles, op));
      })
      .Case([&](ChunkInverseOp op) { lowerInverse(tiles, op); })
      .Case([&](ChunkWUOp op) { lowerWU(tiles, op); })
      .Case([&](ChunkStepOp) { state->step(); })
      .Case([&](ChunkOutputOp op) { lowerOutput(tiles, op); });
}

namespace {

bool isStateOf(ChunkStepOp step, Value value) {
  return step &&
         (value == step.getNewState() || value == step.getNewNormalizerState());
}

/// What the steps of a kernel share.
struct SharedParts {
  ChunkStepOp step;
  int64_t heads = 0, unit = tileRows;
};

FailureOr<SharedParts> sharedParts(ArrayRef<ChunkOpInterface> steps) {
  SharedParts shared;
  ChunkOpInterface first = steps.front();
  for (ChunkOpInterface op : steps) {
    int64_t heads = dim(op->getResult(0), 1);
    if (op.getCuSeqlens() != first.getCuSeqlens() ||
        op.getSlots() != first.getSlots() ||
        op.getContextLens() != first.getContextLens() ||
        op.getChunkSize() != first.getChunkSize() ||
        (shared.heads && heads != shared.heads))
      return op.emitOpError("cannot share a kernel with '")
             << first->getName() << "' of other sequences, chunks or heads";
    shared.heads = heads;
    if (auto gram = dyn_cast<ChunkGramOp>(op.getOperation()))
      shared.unit = std::lcm(shared.unit, int64_t(gram.getSubTile()));
    auto step = dyn_cast<ChunkStepOp>(op.getOperation());
    if (step && shared.step)
      return op.emitOpError("cannot share a kernel with another one");
    if (step)
      shared.step = step;
  }
  return shared;
}

} // namespace

FailureOr<KernelGrid> lowerChunks(KernelFrame &frame,
                                  ArrayRef<ChunkOpInterface> steps) {
  FailureOr<SharedParts> shared = sharedParts(steps);
  if (failed(shared))
    return failure();
  ChunkOpInterface any = steps.front();
  int64_t heads = shared->heads, size = any.getChunkSize();
  VectorMath math(frame);
  Value head = math.rem(frame.workgroup(), heads);
  VectorMath::Sequence seq = math.sequence(
      math.div(frame.workgroup(), heads), frame.bufferOf(any.getCuSeqlens()),
      frame.bufferOf(any.getSlots()), frame.bufferOf(any.getContextLens()));
  SmallVector<Value> yielded;
  for (ChunkOpInterface op : steps)
    for (Value result : op->getResults())
      if (frame.isYielded(result) && !isStateOf(shared->step, result))
        yielded.push_back(result);
  ChunkTiles tiles(math, seq, head, heads, size, shared->unit);
  auto isColumn = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() == 2;
  };
  auto run = [&] {
    std::optional<ChunkState> state;
    if (shared->step) {
      state.emplace(tiles, shared->step);
      state->load();
    }
    math.loop(seq.begin, seq.end, size, [&](Value first) {
      tiles.begin(first);
      for (ChunkOpInterface op : steps)
        lowerStep(tiles, op, state ? &*state : nullptr);
      for (Value value : yielded)
        isColumn(value) ? tiles.storeColumn(value) : tiles.store(value);
    });
    if (state)
      state->store();
  };
  math.when(math.compare(arith::CmpIPredicate::sge, seq.slot, math.index(0)),
            run, [&] {
              for (Value value : yielded)
                tiles.zeroRows(value);
            });
  return KernelGrid{any.getSlots(), 0, 1, heads};
}

} // namespace k3
