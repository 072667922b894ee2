// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.latent_attention -> absorb_query, latent_attend, absorb_value.

#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace k3 {
#define GEN_PASS_DEF_ABSORBLATENTATTENTIONPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// q . (Wk c) = (Wk^T q) . c and sum p (Wv c) = Wv (sum p c): the products with
/// the cached rows move to the queries and the results. Numeric: reassociates.
struct AbsorbAttention : OpRewritePattern<LatentAttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LatentAttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto q = cast<RankedTensorType>(op.getQ().getType());
    auto cache = cast<RankedTensorType>(op.getCache().getType());
    int64_t row = cache.getDimSize(2);
    int64_t rope = q.getDimSize(2) - int64_t(op.getQkNopeHeadDim());
    auto wide = [&](int64_t width) {
      return RankedTensorType::get({q.getDimSize(0), q.getDimSize(1), width},
                                   rewriter.getF32Type());
    };
    Location loc = op.getLoc();
    Value query = AbsorbQueryOp::create(rewriter, loc, wide(row), op.getQ(),
                                        op.getKvB(), op.getQkNopeHeadDimAttr());
    Value context =
        LatentAttendOp::create(rewriter, loc, wide(row - rope), query,
                               op.getCache(), op.getCuSeqlens(), op.getSlots(),
                               op.getContextLens(), op.getScaleAttr());
    rewriter.replaceOpWithNewOp<AbsorbValueOp>(
        op, op.getType(), context, op.getKvB(), op.getQkNopeHeadDimAttr());
    return success();
  }
};

struct AbsorbLatentAttention
    : k3::impl::AbsorbLatentAttentionPassBase<AbsorbLatentAttention> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AbsorbAttention>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
