// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = x w^T. Two warpgroups hold 64 x 256 sums each; both operands come from
// shared memory, 64 deep at a time. One step's products are under way while the
// next ones are issued, and the stage of the step before is filled again:
// copies run `stages - 1` steps ahead.

#include "TileBuilder.h"

#include "k3/Schedule/MatmulKernel.h"

using namespace mlir;
using namespace k3;

namespace {

constexpr int64_t tileRows = 128, tileColumns = 256, tileDepth = 64;
constexpr int64_t stages = 4, warps = 8;
/// Workgroups that follow each other share columns of w for this many tiles of
/// rows, so that both operands stay in the L2 cache.
constexpr int64_t bandRows = 16;

class MatmulBuilder {
public:
  MatmulBuilder(OpBuilder &builder, func::FuncOp kernel,
                const MatmulShape &shape)
      : t(builder, kernel.getLoc()), shape(shape) {
    Value *names[] = {&x, &w, &y, &count};
    for (auto [name, argument] : llvm::zip_equal(names, kernel.getArguments()))
      *name = argument;
  }

  void build() {
    locate();
    Type element = t.b.getBF16Type();
    left = t.shared({tileRows, tileDepth}, element, true, stages);
    right = t.shared({tileColumns, tileDepth}, element, true, stages);
    output = t.shared({tileRows, tileColumns}, element, true, 1, 0, right);
    Value steps = t.i32(shape.depth / tileDepth);
    SmallVector<Value> sums =
        t.role("multiply", warps, 0, {sumType()},
               [&]() -> SmallVector<Value> { return {t.zeros(sumType())}; });
    sums = t.loop(steps, sums, [&](Value step, ValueRange values) {
      return SmallVector<Value>{multiply(step, values[0])};
    });
    t.role("multiply", warps, 0, {}, [&]() -> SmallVector<Value> {
      store(t.wgmmaWait(0, sums)[0]);
      return {};
    });
  }

private:
  TileBuilder t;
  const MatmulShape &shape;
  Value x, w, y, count;
  Value firstRow, firstColumn, rows;
  Value left, right, output;

  RankedTensorType sumType() { return t.f32({tileRows, tileColumns}, t.acc()); }

  /// Bands of `bandRows` tiles; inside a band, rows first.
  void locate() {
    auto divide = [&](Value a, Value b) -> Value {
      return arith::DivUIOp::create(t.b, t.loc, a, b);
    };
    Value all = arith::TruncIOp::create(t.b, t.loc, t.b.getI32Type(), count);
    Value tiles = divide(t.add(all, t.i32(tileRows - 1)), t.i32(tileRows));
    Value across = t.i32(llvm::divideCeil(shape.columns, tileColumns));
    Value perBand = t.mul(across, t.i32(bandRows));
    Value block = t.blockId(), band = divide(block, perBand);
    Value inBand = t.sub(block, t.mul(band, perBand));
    Value firstTile = t.mul(band, t.i32(bandRows));
    Value height = arith::MinUIOp::create(t.b, t.loc, t.sub(tiles, firstTile),
                                          t.i32(bandRows));
    Value column = divide(inBand, height);
    Value row = t.add(firstTile, t.sub(inBand, t.mul(column, height)));
    firstRow = t.mul(row, t.i32(tileRows));
    firstColumn = t.mul(column, t.i32(tileColumns));
    rows = t.sub(all, firstRow);
  }

  Value multiply(Value step, Value sums) {
    Value index = arith::RemUIOp::create(t.b, t.loc, step, t.i32(stages));
    Value leftStage = t.stage(left, index), rightStage = t.stage(right, index);
    Value depth = t.i64(shape.depth);
    Value column = t.wide(t.mul(step, t.i32(tileDepth)));
    auto offset = [&](Value row) {
      return t.add(t.mul(t.wide(row), depth), column);
    };
    auto copy = [&]() -> SmallVector<Value> {
      t.copyAsync(x, offset(firstRow), depth, rows, leftStage);
      Value columns = t.sub(t.i32(shape.columns), firstColumn);
      t.copyAsync(w, offset(firstColumn), depth, columns, rightStage);
      return {};
    };
    t.role("load", warps, 0, {}, copy, /*with=*/"multiply", /*lag=*/1);
    return t.role("multiply", warps, 0, {sumType()},
                  [&]() -> SmallVector<Value> {
                    return {product(sums, leftStage, rightStage)};
                  })[0];
  }

  Value product(Value sums, Value leftStage, Value rightStage) {
    t.fenceShared();
    t.barrier(); // copies are seen by the tensor cores
    Value fenced = t.wgmmaFence({sums})[0];
    Value next = t.wgmma(sumType(), {leftStage}, {rightStage}, fenced);
    t.wgmmaCommit();
    return t.wgmmaWait(1, {next})[0];
  }

  void store(Value sums) {
    t.barrier(); // every product has read the buffer below
    t.storeShared(t.truncate(sums), output);
    t.barrier();
    Attribute lines = t.blocked({1, 8}, {1, 32}, {warps, 1});
    Value tile = t.loadShared(t.bf16({tileRows, tileColumns}, lines), output);
    Value offset = t.add(t.mul(t.wide(firstRow), t.i64(shape.columns)),
                         t.wide(firstColumn));
    t.store(tile, y, offset, 16, t.i64(shape.columns), rows,
            t.sub(t.i32(shape.columns), firstColumn));
  }
};

} // namespace

FailureOr<func::FuncOp> k3::buildMatmul(ModuleOp module,
                                        const MatmulShape &shape) {
  if (shape.columns < 8 || shape.columns % 8 != 0)
    return module.emitError() << "the tile kernel of a product has columns in "
                                 "multiples of 8, got "
                              << shape.columns;
  if (shape.depth < tileDepth || shape.depth % tileDepth != 0)
    return module.emitError() << "the tile kernel of a product has a depth in "
                                 "multiples of 64, got "
                              << shape.depth;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  TileBuilder t(builder, module.getLoc());
  Type half = t.globalOf(builder.getBF16Type());
  auto type =
      builder.getFunctionType({half, half, half, builder.getI64Type()}, {});
  auto kernel = func::FuncOp::create(builder, module.getLoc(), "matmul", type);
  kernel->setAttr("k3t.warps", builder.getI64IntegerAttr(warps));
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  MatmulBuilder(builder, kernel, shape).build();
  func::ReturnOp::create(builder, module.getLoc());
  return kernel;
}
