// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp roles, barriers and fences.

#include "Lowering.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

/// Named barriers: 0 is for the whole kernel, then one for each k3t.on_warps,
/// then one for each warpgroup of the kernel.
static constexpr int64_t firstWarpgroupBarrier = 8;

/// Registers a thread has when the kernel starts: an even share.
static int64_t launchRegisters(Operation *op) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  int64_t warps = kernel->getAttrOfType<IntegerAttr>(warpsName).getInt();
  return std::min<int64_t>(65536 / (warps * 32) / 8 * 8, 255);
}

/// The number of this k3t.on_warps among those of its block.
static int64_t ordinal(OnWarpsOp op) {
  int64_t number = 0;
  for (OnWarpsOp other : op->getBlock()->getOps<OnWarpsOp>()) {
    if (other == op)
      break;
    ++number;
  }
  return number;
}

namespace {

struct LowerBarrier : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    WarpRange range = warpsAround(op);
    if (op.getWarpgroup()) {
      Value id =
          emit.add(emit.shr(emit.warp(), 2), emit.c32(firstWarpgroupBarrier));
      emit.barrier(id, 128);
    } else {
      int64_t id =
          range.whole ? 0 : 1 + ordinal(op->getParentOfType<OnWarpsOp>());
      emit.barrier(emit.c32(id), range.count * 32);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerFenceShared : OpConversionPattern<FenceSharedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(FenceSharedOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit(rewriter, op.getLoc()).fenceShared();
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerAllocBarrier : OpConversionPattern<AllocBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AllocBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    Value pointer = sharedPointer(
        emit, op->getAttrOfType<IntegerAttr>(offsetName).getInt());
    auto branch = scf::IfOp::create(rewriter, op.getLoc(),
                                    emit.equal(emit.threadId(), emit.c32(0)),
                                    /*else=*/false);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(branch.thenBlock()->getTerminator());
      for (int64_t i = 0; i < op.getType().getStages(); ++i)
        emit.initBarrier(emit.offset(pointer, 8 * i), op.getArrivals());
    }
    rewriter.replaceOp(op, pointer);
    return success();
  }
};

Value barrierOf(NvEmit &emit, Value base, Value stage) {
  return emit.offset(base, emit.shl(stage, 3));
}

struct LowerWait : OpConversionPattern<WaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(WaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    emit.waitBarrier(barrierOf(emit, adaptor.getBarrier(), adaptor.getStage()),
                     adaptor.getParity());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerArrive : OpConversionPattern<ArriveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    Value pointer = barrierOf(emit, adaptor.getBarrier(), adaptor.getStage());
    if (op.getAfterCopies())
      emit.arriveBarrierAfterCopies(pointer);
    else
      emit.arriveBarrier(pointer);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tile::lowerOnWarps(Operation *kernel) {
  SmallVector<OnWarpsOp> ops;
  kernel->walk([&](OnWarpsOp op) { ops.push_back(op); });
  for (OnWarpsOp op : ops) {
    OpBuilder builder(op);
    NvEmit emit(builder, op.getLoc());
    Value warp = emit.warp();
    Value live = emit.less(emit.add(warp, emit.c32(-int64_t(op.getFirst()))),
                           emit.c32(op.getCount()));
    if (op.getFirst() != 0)
      live = LLVM::AndOp::create(
          builder, op.getLoc(), live,
          emit.less(emit.c32(int64_t(op.getFirst()) - 1), warp));
    auto branch = scf::IfOp::create(builder, op.getLoc(), live, /*else=*/false);
    Block *then = branch.thenBlock();
    builder.setInsertionPointToStart(then);
    int64_t launch = launchRegisters(op), wanted = op.getRegisters();
    if (wanted != 0 && wanted != launch)
      emit.setMaxRegisters(wanted, wanted > launch);
    Block &body = op.getBody().front();
    body.getTerminator()->erase();
    then->getOperations().splice(Block::iterator(then->getTerminator()),
                                 body.getOperations());
    op.erase();
  }
}

/// The op that holds `op` in the body of the innermost loop; null outside.
static Operation *inLoopBody(Operation *op) {
  while (op && !isa_and_nonnull<scf::ForOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

static bool endsPhase(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return assembly && assembly.getAsmString().starts_with("bar.sync");
}

/// The first op of the stretch between two barriers that an op of a loop is in.
static Operation *phaseOf(Operation *op) {
  Operation *first = inLoopBody(op);
  while (first && first->getPrevNode() && !endsPhase(first->getPrevNode()))
    first = first->getPrevNode();
  return first;
}

namespace {

/// What a phase has for itself: the number of the thread, and pointers.
struct PhaseCopies {
  Value thread, zero;
  llvm::DenseMap<Value, Value> pointers;
};

class PhaseRenewer {
public:
  void renew(Operation *kernel) {
    SmallVector<NVVM::ThreadIdXOp> ids;
    kernel->walk([&](NVVM::ThreadIdXOp op) { ids.push_back(op); });
    for (NVVM::ThreadIdXOp op : ids)
      renewThread(op);
    SmallVector<std::pair<OpOperand *, Operation *>> uses;
    kernel->walk([&](Operation *op) {
      Operation *phase = phaseOf(op);
      if (!phase || isa<LLVM::GEPOp>(op))
        return;
      for (OpOperand &operand : op->getOpOperands())
        if (isSharedChain(operand.get()))
          uses.push_back({&operand, phase});
    });
    for (auto [operand, phase] : uses)
      operand->set(pointerFor(operand->get(), phase));
  }

private:
  void renewThread(NVVM::ThreadIdXOp op) {
    Operation *phase = phaseOf(op);
    if (!phase)
      return;
    Value &own = copies[phase].thread;
    if (!own) {
      OpBuilder builder(phase);
      NvEmit emit(builder, op.getLoc());
      own = emit.opaque(emit.threadId());
    }
    op.getResult().replaceAllUsesWith(own);
    op.erase();
  }

  /// Constant offsets and one product away from the start of shared memory.
  static bool isSharedChain(Value value) {
    if (auto gep = value.getDefiningOp<LLVM::GEPOp>()) {
      for (Value index : gep.getDynamicIndices())
        if (!index.getDefiningOp<LLVM::MulOp>() ||
            !index.getDefiningOp<LLVM::MulOp>()
                 .getRhs()
                 .getDefiningOp<LLVM::ConstantOp>())
          return false;
      return isSharedChain(gep.getBase());
    }
    auto start = value.getDefiningOp<LLVM::AddressOfOp>();
    return start && start.getGlobalName() == sharedSymbol;
  }

  Value pointerFor(Value value, Operation *phase) {
    PhaseCopies &own = copies[phase];
    if (Value known = own.pointers.lookup(value))
      return known;
    OpBuilder builder(phase);
    NvEmit emit(builder, value.getLoc());
    Value copy;
    if (auto gep = value.getDefiningOp<LLVM::GEPOp>()) {
      Value base = pointerFor(gep.getBase(), phase);
      if (base == gep.getBase())
        return value;
      IRMapping mapping;
      mapping.map(gep.getBase(), base);
      for (Value index : gep.getDynamicIndices()) {
        Operation *product = index.getDefiningOp();
        // The index of a stage may be computed after the start of its phase.
        if (auto at = inLoopBody(product);
            at && at->getBlock() == phase->getBlock() &&
            !at->isBeforeInBlock(phase))
          return value;
        for (Value operand : product->getOperands())
          if (operand.getDefiningOp<LLVM::ConstantOp>())
            mapping.map(operand,
                        builder.clone(*operand.getDefiningOp())->getResult(0));
        mapping.map(index, builder.clone(*product, mapping)->getResult(0));
      }
      copy = builder.clone(*gep, mapping)->getResult(0);
    } else {
      if (!own.zero)
        own.zero = emit.opaqueZero();
      copy = emit.offset(builder.clone(*value.getDefiningOp())->getResult(0),
                         own.zero);
    }
    copies[phase].pointers[value] = copy;
    return copy;
  }

  llvm::DenseMap<Operation *, PhaseCopies> copies;
};

} // namespace

void tile::renewPhases(Operation *kernel) { PhaseRenewer().renew(kernel); }

void tile::populateSyncPatterns(const TypeConverter &types,
                                RewritePatternSet &patterns) {
  patterns.add<LowerBarrier, LowerFenceShared, LowerAllocBarrier, LowerWait,
               LowerArrive>(types, patterns.getContext());
}
