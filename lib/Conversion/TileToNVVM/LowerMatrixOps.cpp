// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products on the tensor cores of Hopper.

#include "Lowering.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

namespace {

/// The value of the warpgroup that a warp is in.
Value byWarpgroup(NvEmit &emit, Operation *op, ValueRange values) {
  Value chosen = values[0];
  if (values.size() == 1)
    return chosen;
  Value group = emit.shr(uniformWarp(emit, op), 2);
  for (unsigned i = 1; i < values.size(); ++i)
    chosen = LLVM::SelectOp::create(
        emit.b, emit.loc, emit.equal(group, emit.c32(i)), values[i], chosen);
  return chosen;
}

struct LowerWgmma : OpConversionPattern<WgmmaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WgmmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    auto result = cast<RankedTensorType>(op.getResult().getType());
    unsigned count = result.getShape()[1] / 2; // accumulators of a thread
    auto aTile = dyn_cast<RankedTensorType>(op.getA()[0].getType());
    auto bType = cast<SharedType>(op.getB()[0].getType());
    Values aRegisters;
    Value aDescriptor;
    int64_t depth, aPanel = 0;
    if (aTile) {
      aRegisters = unpackVector(emit, adaptor.getA()[0]);
      depth = aTile.getShape()[1];
    } else {
      auto type = cast<SharedType>(op.getA()[0].getType());
      Value a = byWarpgroup(emit, op, adaptor.getA());
      if (type.getRows() > 64) // each warpgroup has its own 64
        a = emit.offset(a, emit.mul(emit.shr(uniformWarp(emit, op), 2),
                                    emit.c32(64 * 128)));
      aDescriptor = emit.descriptor(a, 16);
      aPanel = type.getPanelBytes();
      depth = type.getCols();
    }
    bool transposed = op.getTransposeB();
    Value b = byWarpgroup(emit, op, adaptor.getB());
    int64_t first = op.getBFirst();
    b = emit.descriptor(emit.offset(b, transposed
                                           ? first / 64 * bType.getPanelBytes()
                                           : first * 128),
                        transposed ? bType.getPanelBytes() : 16);
    Values acc;
    if (adaptor.getAcc())
      acc = unpackVector(emit, adaptor.getAcc());
    for (int64_t k = 0; k < depth; k += 16) {
      // 64 columns make a panel; 16 columns are 32 bytes of its rows.
      auto alongRow = [&](int64_t panelBytes) {
        return k / 64 * panelBytes + k % 64 * 2;
      };
      Values a;
      if (aTile)
        a.append(aRegisters.begin() + k / 4, aRegisters.begin() + k / 4 + 4);
      else
        a.push_back(emit.advance(aDescriptor, alongRow(aPanel)));
      int64_t step = transposed ? k * 128 : alongRow(bType.getPanelBytes());
      acc = emit.wgmma(acc, count, a, emit.advance(b, step), transposed,
                       op.getNegate());
    }
    rewriter.replaceOp(op, packVector(emit, acc));
    return success();
  }
};

struct LowerCommit : OpConversionPattern<WgmmaCommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WgmmaCommitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit(rewriter, op.getLoc()).wgmmaCommit();
    rewriter.eraseOp(op);
    return success();
  }
};

/// All registers of all tiles through one instruction, and back to tiles.
Values throughOne(NvEmit &emit, ValueRange tiles,
                  llvm::function_ref<Values(ValueRange)> instruction) {
  Values registers, out;
  for (Value tile : tiles)
    llvm::append_range(registers, unpackVector(emit, tile));
  Values passed = instruction(registers);
  unsigned first = 0;
  for (Value tile : tiles) {
    unsigned count = cast<VectorType>(tile.getType()).getNumElements();
    out.push_back(
        packVector(emit, ArrayRef<Value>(passed).slice(first, count)));
    first += count;
  }
  return out;
}

struct LowerFence : OpConversionPattern<WgmmaFenceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WgmmaFenceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    rewriter.replaceOp(
        op, throughOne(emit, adaptor.getValues(), [&](ValueRange values) {
          return emit.wgmmaFence(values);
        }));
    return success();
  }
};

struct LowerWait : OpConversionPattern<WgmmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WgmmaWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    rewriter.replaceOp(
        op, throughOne(emit, adaptor.getValues(), [&](ValueRange values) {
          return emit.wgmmaWait(op.getPending(), values);
        }));
    return success();
  }
};

} // namespace

void tile::populateMatrixPatterns(const TypeConverter &types,
                                  RewritePatternSet &patterns) {
  patterns.add<LowerWgmma, LowerCommit, LowerFence, LowerWait>(
      types, patterns.getContext());
}
