// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// (I + A)^-1 for a 64 x 64 strictly lower triangular A in shared memory, on
// eight warps. Four diagonal blocks of 16 by forward substitution, a lane for
// each column; then the blocks below the diagonal, 16 and 32 wide, by two TF32
// products each: the inverse of [A 0; C B] is [A^-1 0; -B^-1 C A^-1 B^-1].

#include "Lowering.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

namespace {

/// A matrix of F32 in shared memory that begins at a byte and has a row length.
struct Matrix {
  Value pointer;
  int64_t rowBytes;
  Matrix block(NvEmit &emit, int64_t row, int64_t column) const {
    return {emit.offset(pointer, row * rowBytes + column * 4), rowBytes};
  }
};

struct LowerUnitLowerInverse : OpConversionPattern<UnitLowerInverseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(UnitLowerInverseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    auto rowBytes = [](SharedType type) {
      return (type.getCols() + type.getPad()) * 4;
    };
    Matrix a{adaptor.getBuffer(), rowBytes(op.getBuffer().getType())};
    Matrix x{adaptor.getScratch(), rowBytes(op.getScratch().getType())};
    Value thread = localThread(emit, op);
    auto meet = [&] { BarrierOp::create(rewriter, op.getLoc(), false); };

    meet();
    Value warp = emit.shr(thread, 5);
    auto branch =
        scf::IfOp::create(rewriter, op.getLoc(), emit.less(warp, emit.c32(2)),
                          /*else=*/false);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(branch.thenBlock()->getTerminator());
      invertPair(emit, a, x, warp);
    }
    meet();
    Value row = emit.shl(emit.shr(warp, 2), 4);
    Value column = emit.shl(emit.bitAnd(warp, emit.c32(3)), 3);
    Matrix below = a.block(emit, 32, 0), lower = a.block(emit, 32, 32);
    product(emit, below, a, x, row, column, 32, /*negate=*/false);
    meet();
    product(emit, lower, x, below, row, column, 32, /*negate=*/true);
    meet();
    rewriter.eraseOp(op);
    return success();
  }

  /// One warp: two neighbouring diagonal blocks of 16, half of the lanes each,
  /// and the block below the first one.
  void invertPair(NvEmit &emit, Matrix all, Matrix scratch, Value pair) const {
    Matrix a = all, x = scratch;
    a.pointer = emit.offset(all.pointer,
                            emit.mul(pair, emit.c32(32 * a.rowBytes + 32 * 4)));
    x.pointer = emit.offset(scratch.pointer, emit.mul(pair, emit.c32(16 * 4)));
    invertDiagonal(emit, a);
    emit.syncWarp();
    Matrix below = a.block(emit, 16, 0), lower = a.block(emit, 16, 16);
    Value zero = emit.c32(0);
    for (int64_t column : {0, 8})
      product(emit, below, a, x, zero, emit.c32(column), 16, false);
    emit.syncWarp();
    for (int64_t column : {0, 8})
      product(emit, lower, x, below, zero, emit.c32(column), 16, true);
  }

  /// A lane has one column of an inverse: t_i = [i = lane] - sum_{m<i} A_im
  /// t_m.
  void invertDiagonal(NvEmit &emit, Matrix a) const {
    Value lane = emit.lane(), column = emit.bitAnd(lane, emit.c32(15));
    Value start =
        emit.offset(a.pointer, emit.mul(emit.shr(lane, 4),
                                        emit.c32(16 * a.rowBytes + 16 * 4)));
    Type quad = VectorType::get({4}, emit.f32());
    Values t;
    for (int64_t i = 0; i < 16; ++i) {
      Value sum = LLVM::SelectOp::create(emit.b, emit.loc,
                                         emit.equal(column, emit.c32(i)),
                                         emit.cf32(1), emit.cf32(0));
      for (int64_t m = 0; m < i; m += 4) {
        Values row = unpackVector(
            emit,
            emit.load(quad, emit.offset(start, i * a.rowBytes + m * 4), 16));
        for (int64_t n = m; n < std::min(m + 4, i); ++n)
          sum = emit.fma(emit.fneg(row[n - m]), t[n], sum);
      }
      t.push_back(sum);
    }
    emit.syncWarp(); // every lane has read all of its block
    Value out = emit.offset(start, emit.shl(column, 2));
    for (int64_t i = 0; i < 16; ++i)
      emit.store(t[i], emit.offset(out, i * a.rowBytes), 4);
  }

  /// One 16 x 8 block of left * right: fragments of mma.m16n8k8.
  void product(NvEmit &emit, Matrix left, Matrix right, Matrix out,
               Value firstRow, Value firstColumn, int64_t size,
               bool negate) const {
    Value lane = emit.lane(), group = emit.shr(lane, 2);
    Value member = emit.bitAnd(lane, emit.c32(3));
    auto element = [&](Matrix matrix, Value row, Value column) {
      Value bytes = emit.add(emit.mul(row, emit.c32(matrix.rowBytes)),
                             emit.shl(column, 2));
      return emit.offset(matrix.pointer, bytes);
    };
    Value row = emit.add(firstRow, group);
    Value aStart = element(left, row, member);
    Value bStart = element(right, member, emit.add(firstColumn, group));
    auto at = [&](Value start, int64_t bytes) {
      return emit.load(emit.f32(), emit.offset(start, bytes), 4);
    };
    Values sums(4, emit.cf32(0));
    for (int64_t k = 0; k < size; k += 8) {
      Values a, b;
      for (int64_t column : {0, 4})
        for (int64_t below : {0, 8})
          a.push_back(at(aStart, below * left.rowBytes + (k + column) * 4));
      for (int64_t below : {0, 4})
        b.push_back(at(bStart, (k + below) * right.rowBytes));
      sums = emit.mmaTf32(sums, a, b);
    }
    if (negate)
      for (Value &sum : sums)
        sum = emit.fneg(sum);
    Value target =
        element(out, row, emit.add(firstColumn, emit.shl(member, 1)));
    for (int64_t half : {0, 1})
      emit.store(packVector(emit, {sums[2 * half], sums[2 * half + 1]}),
                 emit.offset(target, half * 8 * out.rowBytes), 8);
  }
};

} // namespace

void tile::populateInversePatterns(const TypeConverter &types,
                                   RewritePatternSet &patterns) {
  patterns.add<LowerUnitLowerInverse>(types, patterns.getContext());
}
