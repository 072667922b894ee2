// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// (I + A)^-1 for a 64 x 64 strictly lower triangular A in shared memory, on
// eight warps. Four diagonal blocks of 16 by forward substitution, a lane for
// each column; then blocks below the diagonal, 16 and 32 wide, by two products
// each.

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
    invertDiagonal(emit, op, a, thread);
    meet();
    // Two pairs of 16 x 16 blocks, 128 threads each: rows 8 to a thread group.
    Value pair = emit.shr(thread, 7);
    Value own = emit.bitAnd(thread, emit.c32(127));
    Matrix first = a;
    first.pointer = emit.offset(
        a.pointer, emit.mul(pair, emit.c32(32 * a.rowBytes + 32 * 4)));
    Matrix scratch = x;
    scratch.pointer = emit.offset(x.pointer, emit.mul(pair, emit.c32(16 * 4)));
    eliminate(emit, first, scratch, own, 16, 2, meet);
    eliminate(emit, a, x, thread, 32, 4, meet);
    rewriter.eraseOp(op);
    return success();
  }

  /// Column `lane` of each inverse: t_i = [i = lane] - sum_{m<i} A_im t_m.
  void invertDiagonal(NvEmit &emit, Operation *op, Matrix a,
                      Value thread) const {
    Value warp = emit.shr(thread, 5);
    Value live = emit.less(warp, emit.c32(4));
    auto branch = scf::IfOp::create(emit.b, emit.loc, live, /*else=*/false);
    OpBuilder::InsertionGuard guard(emit.b);
    emit.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value column = emit.bitAnd(thread, emit.c32(15));
    Value start = emit.offset(
        a.pointer, emit.mul(warp, emit.c32(16 * a.rowBytes + 16 * 4)));
    Values t;
    for (int64_t i = 0; i < 16; ++i) {
      Value sum = LLVM::SelectOp::create(emit.b, emit.loc,
                                         emit.equal(column, emit.c32(i)),
                                         emit.cf32(1), emit.cf32(0));
      for (int64_t m = 0; m < i; ++m) {
        Value element = emit.load(
            emit.f32(), emit.offset(start, i * a.rowBytes + m * 4), 4);
        sum = emit.fma(emit.fneg(element), t[m], sum);
      }
      t.push_back(sum);
    }
    emit.syncWarp(); // every lane has read all of the block
    Value out = emit.offset(start, emit.shl(column, 2));
    for (int64_t i = 0; i < 16; ++i)
      emit.store(t[i], emit.offset(out, i * a.rowBytes), 4);
  }

  /// The block below the diagonal of [A 0; C B], whose diagonal blocks of
  /// `size` are inverted already: C := -B C A. A thread computes `width`
  /// neighbouring elements.
  void eliminate(NvEmit &emit, Matrix a, Matrix x, Value thread, int64_t size,
                 int64_t width, llvm::function_ref<void()> meet) const {
    int64_t perRow = size / width;
    Value row = emit.shr(thread, llvm::Log2_64(perRow));
    Value column = emit.shl(emit.bitAnd(thread, emit.c32(perRow - 1)),
                            llvm::Log2_64(width));
    Matrix upper = a, below = a.block(emit, size, 0),
           lower = a.block(emit, size, size);
    product(emit, below, upper, x, row, column, size, width, /*negate=*/false);
    meet();
    product(emit, lower, x, below, row, column, size, width, /*negate=*/true);
    meet();
  }

  void product(NvEmit &emit, Matrix left, Matrix right, Matrix out, Value row,
               Value column, int64_t size, int64_t width, bool negate) const {
    Value leftRow =
        emit.offset(left.pointer, emit.mul(row, emit.c32(left.rowBytes)));
    Value rightColumn = emit.offset(right.pointer, emit.shl(column, 2));
    Type vector = VectorType::get({width}, emit.f32());
    Values sums(width, emit.cf32(0));
    for (int64_t k = 0; k < size; ++k) {
      Value x = emit.load(emit.f32(), emit.offset(leftRow, k * 4), 4);
      if (negate)
        x = emit.fneg(x);
      Values y = unpackVector(
          emit, emit.load(vector, emit.offset(rightColumn, k * right.rowBytes),
                          width * 4));
      for (int64_t i = 0; i < width; ++i)
        sums[i] = emit.fma(x, y[i], sums[i]);
    }
    Value target = emit.offset(
        emit.offset(out.pointer, emit.mul(row, emit.c32(out.rowBytes))),
        emit.shl(column, 2));
    emit.store(packVector(emit, sums), target, width * 4);
  }
};

} // namespace

void tile::populateInversePatterns(const TypeConverter &types,
                                   RewritePatternSet &patterns) {
  patterns.add<LowerUnitLowerInverse>(types, patterns.getContext());
}
