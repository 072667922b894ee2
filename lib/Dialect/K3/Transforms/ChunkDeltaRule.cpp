// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.delta_rule -> k3.chunk_* ops, derived from its attributes.

#include "k3/Dialect/K3/Analysis/DecayBounds.h"
#include "k3/Dialect/K3/Analysis/Dimensions.h"
#include "k3/Dialect/K3/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

namespace k3 {
#define GEN_PASS_DEF_CHUNKDELTARULEPASS
#include "k3/Dialect/K3/Transforms/Passes.h.inc"
} // namespace k3

using namespace mlir;
using namespace k3;

namespace {

/// Builds the chunked form of one op.
class Chunker {
public:
  Chunker(DeltaRuleOp op, const DecayBounds &bounds, int64_t chunkSize,
          int64_t subTile)
      : op(op), bounds(bounds), builder(op), loc(op.getLoc()), size(chunkSize),
        rows(subTile), choice(chooseDecayForm(op, bounds, subTile)),
        tokens(dim(op.getQ(), 0)), heads(dim(op.getV(), 1)),
        keyWidth(dim(op.getQ(), 2)), valueWidth(dim(op.getV(), 2)) {}

  void run();

private:
  static int64_t dim(Value value, unsigned index) {
    return cast<RankedTensorType>(value.getType()).getDimSize(index);
  }
  Type rowsOf(ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> shape = {tokens};
    llvm::append_range(shape, sizes);
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  IntegerAttr integer(int64_t value) {
    return builder.getI64IntegerAttr(value);
  }
  bool erases() { return op.getErase() != Erase::None; }
  bool lowRank() { return op.getErase() == Erase::LowRank; }
  bool erasesByBeta() { return erases() && !lowRank(); }
  /// The step that an undecayed read leaves out.
  Value ownStep() { return decay && readsUndecayed(op) ? op.getG() : Value(); }

  void sumDecays();
  Value gram(Value x, Value y, bool diagonal, Value g);
  /// W and U of the erases.
  std::pair<Value, Value> erasing(Value writeKey);

  DeltaRuleOp op;
  DecayBounds bounds;
  OpBuilder builder;
  Location loc;
  int64_t size, rows;
  DecayChoice choice;
  int64_t tokens, heads, keyWidth, valueWidth;
  Value decay; // cumulative; null without decay
};

} // namespace

void Chunker::sumDecays() {
  if (!op.getG())
    return;
  bool channels = op.getDecay() == Decay::Channel;
  Value like = op.getDecay() == Decay::HeadConstant ? op.getV() : Value();
  Type type = channels ? rowsOf({heads, keyWidth}) : rowsOf({heads});
  decay = ChunkDecayOp::create(builder, loc, type, op.getG(), like,
                               op.getCuSeqlens(), op.getSlots(),
                               op.getContextLens(), integer(size));
}

Value Chunker::gram(Value x, Value y, bool diagonal, Value g) {
  // Sub-tiles off the diagonal are factored, which takes log-decays that are
  // not positive; without that knowledge the chunk is one sub-tile.
  bool unknown = choice.form == DecayForm::Pairwise && bounds.upper > 0;
  bool anchored = choice.form == DecayForm::Anchored;
  return ChunkGramOp::create(
      builder, loc, rowsOf({heads, size}), x, y, decay, g, op.getCuSeqlens(),
      op.getSlots(), op.getContextLens(),
      DecayFormAttr::get(builder.getContext(), choice.form),
      builder.getBoolAttr(diagonal), integer(size),
      integer(unknown ? size : rows),
      anchored ? integer(choice.anchor) : IntegerAttr(),
      anchored ? builder.getDenseF64ArrayAttr({bounds.lower, bounds.upper})
               : DenseF64ArrayAttr());
}

std::pair<Value, Value> Chunker::erasing(Value writeKey) {
  if (!erases())
    return {};
  Value reader = op.getErase() == Erase::Delta ? op.getK() : op.getA();
  Value among = gram(reader, lowRank() ? op.getB() : writeKey,
                     /*diagonal=*/false, ownStep());
  Value seen;
  if (lowRank())
    seen = gram(reader, writeKey, /*diagonal=*/false, ownStep());
  Value inverse = ChunkInverseOp::create(
      builder, loc, among.getType(), among,
      erasesByBeta() ? op.getBeta() : Value(), op.getCuSeqlens(), op.getSlots(),
      op.getContextLens(), integer(size));
  auto wu = ChunkWUOp::create(
      builder, loc, rowsOf({heads, keyWidth}), rowsOf({heads, valueWidth}),
      inverse, reader, op.getV(), decay, ownStep(), op.getBeta(), seen,
      op.getCuSeqlens(), op.getSlots(), op.getContextLens(), op.getEraseAttr(),
      op.getWriteAttr(), integer(size));
  return {wu.getW(), wu.getU()};
}

void Chunker::run() {
  sumDecays();
  Value writeKey = op.getK();
  if (op.getWrite() == Write::TiedKey)
    writeKey = ChunkTiedKeyOp::create(
        builder, loc, op.getG().getType(), op.getG(), op.getCuSeqlens(),
        op.getSlots(), op.getContextLens(), integer(size));
  auto [w, u] = erasing(writeKey);
  Value eraseGram;
  if (lowRank())
    eraseGram = gram(op.getQ(), op.getB(), /*diagonal=*/true, {});
  Value readGram = gram(op.getQ(), writeKey, /*diagonal=*/true, {});

  Value values = erasesByBeta() ? Value() : Value(op.getV());
  Value normalizer = op.getNormalizerState();
  bool scales = op.getWrite() == Write::BetaValue && (values || normalizer);
  Value beta = scales ? Value(op.getBeta()) : Value();
  Type valueRows = rowsOf({heads, valueWidth});
  SmallVector<Type> more;
  if (erases())
    more.push_back(valueRows);
  if (normalizer)
    more.append({rowsOf({heads}), normalizer.getType()});
  auto step = ChunkStepOp::create(
      builder, loc, valueRows, op.getNewState().getType(), more, op.getQ(),
      writeKey, op.getB(), values, decay, beta, w, u, op.getState(), normalizer,
      op.getCuSeqlens(), op.getSlots(), op.getContextLens(), op.getEraseAttr(),
      op.getWriteAttr(), op.getStateVFirstAttr(), integer(size));
  Value out = ChunkOutputOp::create(
      builder, loc, op.getO().getType(), step.getRead(), readGram, eraseGram,
      step.getPseudo(), values, beta, step.getWeight(), op.getCuSeqlens(),
      op.getSlots(), op.getContextLens(), op.getEraseAttr(), op.getWriteAttr(),
      op.getScaleAttr(), op.getNormalizerEpsAttr(), integer(size));
  op.getO().replaceAllUsesWith(out);
  op.getNewState().replaceAllUsesWith(step.getNewState());
  if (normalizer)
    op.getNewNormalizerState().replaceAllUsesWith(step.getNewNormalizerState());
  op.erase();
}

namespace {

/// True when every sequence of a call has one token.
bool hasOneToken(DeltaRuleOp op, const Dimensions &dims) {
  auto function = op->getParentOfType<func::FuncOp>();
  if (function && function->hasAttr(kOneTokenName))
    return true;
  auto rows = cast<RankedTensorType>(op.getQ().getType());
  auto sequences = cast<RankedTensorType>(op.getSlots().getType());
  if (!rows.isDynamicDim(0))
    return rows.getDimSize(0) <= 1;
  return sequences.isDynamicDim(0) &&
         dims.symbolOf(op.getQ(), 0) == dims.symbolOf(op.getSlots(), 0);
}

struct ChunkDeltaRule : k3::impl::ChunkDeltaRulePassBase<ChunkDeltaRule> {
  using ChunkDeltaRulePassBase::ChunkDeltaRulePassBase;

  LogicalResult checkSizes() {
    if (subTile < 1 || subTile > 64)
      return getOperation().emitError(
                 "K3-E0522: sub-tile must be 1 to 64, got ")
             << subTile.getValue();
    if (chunkSize < 1 || chunkSize > 256 || chunkSize % subTile != 0)
      return getOperation().emitError(
                 "K3-E0523: chunk-size must be a multiple of sub-tile up to "
                 "256, got ")
             << chunkSize.getValue() << " and " << subTile.getValue();
    return success();
  }

  static void say(DeltaRuleOp op, const std::string &text) {
    auto options =
        remark::RemarkOpts::name("chunked").category("k3-chunk-delta-rule");
    if (auto function = op->getParentOfType<func::FuncOp>())
      options = options.function(function.getSymName());
    remark::analysis(op.getLoc(), options) << text;
  }

  LogicalResult chunk(DeltaRuleOp op) {
    if (op->getParentOfType<KernelOp>() || op->getParentOfType<KernelFuncOp>())
      return op.emitError("K3-E0524: is in a kernel already; chunks are "
                          "chosen before kernels are formed");
    FailureOr<DecayBounds> bounds = provenBounds(op);
    if (failed(bounds))
      return failure();
    say(op, "chunks of " + std::to_string(chunkSize) + "; " +
                describeDecay(op, *bounds, subTile));
    Chunker(op, *bounds, chunkSize, subTile).run();
    ++chunked;
    return success();
  }

  void runOnOperation() override {
    if (failed(checkSizes()))
      return signalPassFailure();
    SmallVector<DeltaRuleOp> ops;
    llvm::DenseMap<Block *, std::unique_ptr<Dimensions>> dims;
    getOperation().walk([&](DeltaRuleOp op) {
      std::unique_ptr<Dimensions> &known = dims[op->getBlock()];
      if (!known)
        known = std::make_unique<Dimensions>(*op->getBlock());
      if (!hasOneToken(op, *known))
        ops.push_back(op);
    });
    for (DeltaRuleOp op : ops)
      if (failed(chunk(op)))
        return signalPassFailure();
  }
};

} // namespace
