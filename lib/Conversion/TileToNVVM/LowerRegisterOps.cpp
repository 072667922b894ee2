// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops between registers, and arith and math on tiles.

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

struct LowerBlockId : OpConversionPattern<BlockIdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BlockIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    rewriter.replaceOp(op, emit.block());
    return success();
  }
};

struct LowerSplat : OpConversionPattern<SplatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    Values values(threadMap(tileType(op.getResult())).registers(),
                  adaptor.getValue());
    rewriter.replaceOp(op, packVector(emit, values));
    return success();
  }
};

struct LowerIota : OpConversionPattern<IotaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(IotaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    ThreadMap map = threadMap(tileType(op.getResult()));
    ThreadIndex base = threadIndices(emit, op, map)[op.getAxis()];
    Values values;
    for (const auto &offset : map.offsets) {
      Value own = emit.c32(offset[op.getAxis()]);
      values.push_back(base.value ? emit.add(base.value, own) : own);
    }
    rewriter.replaceOp(op, packVector(emit, values));
    return success();
  }
};

/// The registers of `map` that become each register of the slice.
SmallVector<SmallVector<unsigned>>
groups(const ThreadMap &map, const ThreadMap &slice, unsigned axis) {
  SmallVector<SmallVector<unsigned>> out(slice.registers());
  for (auto [index, offset] : llvm::enumerate(map.offsets)) {
    SmallVector<int64_t, 3> rest(offset);
    rest.erase(rest.begin() + axis);
    int found = slice.find(rest);
    assert(found >= 0 && "slices hold every offset of their parent");
    out[found].push_back(index);
  }
  return out;
}

struct LowerReduce : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    ThreadMap map = threadMap(tileType(op.getSource()));
    ThreadMap slice = threadMap(tileType(op.getResult()));
    Values in = unpackVector(emit, adaptor.getSource()), out;
    for (ArrayRef<unsigned> group : groups(map, slice, op.getAxis())) {
      Value sum = in[group[0]];
      for (unsigned index : group.drop_front())
        sum = emit.fadd(sum, in[index]);
      for (int64_t mask : laneMasks(map, op.getAxis()))
        sum = emit.fadd(sum, emit.shuffleXor(sum, mask));
      out.push_back(sum);
    }
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }
};

struct LowerScan : OpConversionPattern<ScanOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ScanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    ThreadMap map = threadMap(tileType(op.getSource()));
    Values values = unpackVector(emit, adaptor.getSource());
    for (auto [index, offset] : llvm::enumerate(map.offsets)) {
      SmallVector<int64_t, 3> before(offset);
      if (--before[op.getAxis()] < 0)
        continue;
      values[index] = emit.fadd(values[map.find(before)], values[index]);
    }
    rewriter.replaceOp(op, packVector(emit, values));
    return success();
  }
};

struct LowerLast : OpConversionPattern<LastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    ThreadMap map = threadMap(tileType(op.getSource()));
    ThreadMap slice = threadMap(tileType(op.getResult()));
    Values in = unpackVector(emit, adaptor.getSource()), out;
    for (ArrayRef<unsigned> group : groups(map, slice, op.getAxis()))
      out.push_back(in[group.back()]);
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }
};

struct LowerBroadcast : OpConversionPattern<BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    auto layout = cast<SliceAttr>(tileType(op.getSource()).getEncoding());
    ThreadMap map = threadMap(tileType(op.getResult()));
    ThreadMap slice = threadMap(tileType(op.getSource()));
    Values in = unpackVector(emit, adaptor.getSource());
    Values out(map.registers());
    for (auto [index, group] :
         llvm::enumerate(groups(map, slice, layout.getAxis())))
      for (unsigned target : group)
        out[target] = in[index];
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }
};

struct LowerByWarpgroup : OpConversionPattern<ByWarpgroupOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ByWarpgroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    Value first = emit.less(uniformWarp(emit, op), emit.c32(4));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, first, adaptor.getFirst(),
                                                 adaptor.getSecond());
    return success();
  }
};

struct LowerConcat : OpConversionPattern<ConcatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    Values all = unpackVector(emit, adaptor.getLeft());
    llvm::append_range(all, unpackVector(emit, adaptor.getRight()));
    rewriter.replaceOp(op, packVector(emit, all));
    return success();
  }
};

struct LowerConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = getTypeConverter()->convertType<VectorType>(op.getType());
    if (!splat || !type)
      return rewriter.notifyMatchFailure(op, "not a splat");
    if (type.getElementType() != splat.getElementType()) {
      if (!splat.getSplatValue<APFloat>().isPosZero())
        return rewriter.notifyMatchFailure(op, "BF16 constant other than zero");
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, rewriter.getZeroAttr(type));
      return success();
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    return success();
  }
};

struct LowerExtend : OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return failure();
    NvEmit emit(rewriter, op.getLoc());
    Values out;
    for (Value pair : unpackVector(emit, adaptor.getIn())) {
      auto [low, high] = emit.unpack(pair);
      out.append({low, high});
    }
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }
};

struct LowerTruncate : OpConversionPattern<arith::TruncFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return failure();
    NvEmit emit(rewriter, op.getLoc());
    Values in = unpackVector(emit, adaptor.getIn()), out;
    for (unsigned i = 0; i < in.size(); i += 2)
      out.push_back(emit.pack(in[i], in[i + 1]));
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }
};

/// A function of one thread's F32 elements that is one instruction of the GPU.
template <typename OpTy> struct LowerApproximate : OpConversionPattern<OpTy> {
  using Function = Value (NvEmit::*)(Value);
  LowerApproximate(const TypeConverter &types, MLIRContext *context,
                   Function function)
      : OpConversionPattern<OpTy>(types, context), function(function) {}
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    Value in = adaptor.getOperands()[0];
    if (!isa<VectorType>(in.getType())) {
      rewriter.replaceOp(op, (emit.*function)(in));
      return success();
    }
    Values out;
    for (Value element : unpackVector(emit, in))
      out.push_back((emit.*function)(element));
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }
  Function function;
};

struct LowerDivide : OpConversionPattern<arith::DivFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    if (!isa<VectorType>(adaptor.getLhs().getType())) {
      rewriter.replaceOp(op, emit.divide(adaptor.getLhs(), adaptor.getRhs()));
      return success();
    }
    Values out;
    for (auto [x, y] : llvm::zip(unpackVector(emit, adaptor.getLhs()),
                                 unpackVector(emit, adaptor.getRhs())))
      out.push_back(emit.divide(x, y));
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }
};

/// Any other elementwise op on tiles is the same op on one thread's vectors.
/// Products and sums may be fused: tiles are F32 with stated error bounds.
struct LowerElementwise : ConversionPattern {
  LowerElementwise(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
      return failure();
    bool chooses =
        isa<arith::SelectOp>(op) && op->getOperand(0).getType().isInteger(1);
    for (Type type : op->getOperandTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type);
          tile && tile.getElementType().isBF16() && !chooses)
        return op->emitError("arithmetic on a BF16 tile: extend it first");
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(getTypeConverter()->convertType(op->getResult(0).getType()));
    state.addAttributes(op->getAttrs());
    Operation *lowered = rewriter.create(state);
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(lowered))
      lowered->setAttr(fast.getFastMathAttrName(),
                       arith::FastMathFlagsAttr::get(
                           op->getContext(), arith::FastMathFlags::contract));
    rewriter.replaceOp(op, lowered->getResults());
    return success();
  }
};

} // namespace

void tile::populateRegisterPatterns(const TypeConverter &types,
                                    RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LowerBlockId, LowerSplat, LowerIota, LowerReduce, LowerScan,
               LowerLast, LowerBroadcast, LowerByWarpgroup, LowerConcat,
               LowerConstant, LowerExtend, LowerTruncate, LowerDivide,
               LowerElementwise>(types, context);
  patterns.add<LowerApproximate<math::Exp2Op>>(types, context, &NvEmit::exp2);
  patterns.add<LowerApproximate<math::Log2Op>>(types, context, &NvEmit::log2);
  patterns.add<LowerApproximate<math::RsqrtOp>>(types, context, &NvEmit::rsqrt);
  patterns.add<LowerApproximate<math::TanhOp>>(types, context, &NvEmit::tanh);
}
