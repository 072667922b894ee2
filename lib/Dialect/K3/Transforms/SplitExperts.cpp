// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.latent_experts -> expert_up, expert_down.

#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace k3 {
#define GEN_PASS_DEF_SPLITEXPERTSPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// The hidden rows between the halves have the element type of `z`, so the
/// roundings are those of the whole op. Numeric: exact.
struct SplitExpertsOp : OpRewritePattern<LatentExpertsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LatentExpertsOp op,
                                PatternRewriter &rewriter) const override {
    auto z = cast<RankedTensorType>(op.getZ().getType());
    auto ids = cast<RankedTensorType>(op.getIds().getType());
    auto w1 = cast<RankedTensorType>(op.getW1().getType());
    auto hidden = RankedTensorType::get(
        {z.getDimSize(0), ids.getDimSize(1), w1.getDimSize(1)},
        z.getElementType());
    bool scaled = !op.getScales().empty();
    ValueRange scales = op.getScales();
    Value h = ExpertUpOp::create(
        rewriter, op.getLoc(), hidden, op.getZ(), op.getIds(), op.getW1(),
        op.getW3(), scaled ? scales.take_front(2) : scales, op.getGluAttr(),
        op.getBetaAttr(), op.getLinearBetaAttr(), PackingAttr());
    rewriter.replaceOpWithNewOp<ExpertDownOp>(
        op, op.getType(), h, op.getIds(), op.getWeights(), op.getW2(),
        scaled ? scales.drop_front(2) : scales, PackingAttr());
    return success();
  }
};

struct SplitExperts : k3::impl::SplitExpertsPassBase<SplitExperts> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitExpertsOp>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
