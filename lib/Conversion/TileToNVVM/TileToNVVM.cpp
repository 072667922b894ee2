// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversion as a whole: shared memory is laid out, then every op is
// replaced by what one thread does.

#include "Lowering.h"

#include "k3/Conversion/TileToNVVM/Passes.h"
#include "k3/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace k3::tile {
#define GEN_PASS_DEF_CONVERTTILETONVVM
#define GEN_PASS_DEF_MARKKERNELS
#include "k3/Conversion/TileToNVVM/Passes.h.inc"
} // namespace k3::tile

using namespace mlir;
using namespace k3;
using namespace k3::tile;

namespace {

/// Memory that one buffer has, or several at different times.
struct Piece {
  int64_t alignment = 0, bytes = 0;
  SmallVector<Operation *> owners;
};

void addOwner(Piece &piece, Operation *op) {
  int64_t alignment = 8, bytes = 0;
  if (auto alloc = dyn_cast<AllocSharedOp>(op)) {
    SharedType type = alloc.getType();
    alignment = type.getAlignment();
    bytes = llvm::alignTo(type.getStageBytes(), alignment) * type.getStages();
  } else {
    bytes = 8 * cast<AllocBarrierOp>(op).getType().getStages();
  }
  piece.alignment = std::max(piece.alignment, alignment);
  piece.bytes = std::max(piece.bytes, bytes);
  piece.owners.push_back(op);
}

/// Gives every buffer its offset, the strictest alignment first.
LogicalResult layOutShared(func::FuncOp kernel, int64_t limit) {
  SmallVector<Piece> pieces;
  llvm::DenseMap<Operation *, unsigned> pieceOf;
  kernel.walk([&](Operation *op) {
    if (!isa<AllocSharedOp, AllocBarrierOp>(op))
      return;
    auto alloc = dyn_cast<AllocSharedOp>(op);
    Operation *under =
        alloc && alloc.getOver() ? alloc.getOver().getDefiningOp() : nullptr;
    auto known = pieceOf.find(under);
    unsigned index = known == pieceOf.end() ? pieces.size() : known->second;
    if (index == pieces.size())
      pieces.emplace_back();
    addOwner(pieces[index], op);
    pieceOf[op] = index;
  });
  llvm::stable_sort(pieces, [](const Piece &x, const Piece &y) {
    return x.alignment > y.alignment;
  });
  int64_t offset = 0;
  OpBuilder builder(kernel.getContext());
  for (const Piece &piece : pieces) {
    offset = llvm::alignTo(offset, piece.alignment);
    for (Operation *op : piece.owners)
      op->setAttr(offsetName, builder.getI64IntegerAttr(offset));
    offset += piece.bytes;
  }
  kernel->setAttr(sharedBytesName, builder.getI64IntegerAttr(offset));
  if (offset > limit)
    return kernel.emitError()
           << "needs " << offset << " bytes of shared memory, a workgroup has "
           << limit;
  return success();
}

void addTypes(TypeConverter &types) {
  types.addConversion([](Type type) { return type; });
  types.addConversion([](RankedTensorType type) -> std::optional<Type> {
    int64_t count = threadMap(type).registers();
    if (type.getElementType().isBF16())
      return VectorType::get({count / 2},
                             IntegerType::get(type.getContext(), 32));
    return VectorType::get({count}, type.getElementType());
  });
  types.addConversion([](GlobalType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), 1);
  });
  auto shared = [](Type type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), 3);
  };
  types.addConversion([=](SharedType type) { return shared(type); });
  types.addConversion([=](BarrierType type) { return shared(type); });
}

class ConvertTileToNVVMPass
    : public k3::tile::impl::ConvertTileToNVVMBase<ConvertTileToNVVMPass> {
  using ConvertTileToNVVMBase::ConvertTileToNVVMBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels;
    for (func::FuncOp kernel : module.getOps<func::FuncOp>())
      if (kernel->hasAttr(warpsName))
        kernels.push_back(kernel);
    if (kernels.empty())
      return;
    for (func::FuncOp kernel : kernels)
      if (failed(layOutShared(kernel, sharedLimit)))
        return signalPassFailure();
    OpBuilder builder(module.getBodyRegion());
    LLVM::GlobalOp::create(builder, module.getLoc(),
                           LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           sharedSymbol, Attribute(), /*alignment=*/1024,
                           /*addrSpace=*/3);
    for (func::FuncOp kernel : kernels) {
      if (failed(convert(kernel)))
        return signalPassFailure();
      lowerOnWarps(kernel);
      renewPhases(kernel);
    }
  }

  LogicalResult convert(func::FuncOp kernel) {
    MLIRContext *context = &getContext();
    TypeConverter types;
    addTypes(types);
    ConversionTarget target(*context);
    target.addIllegalDialect<K3TDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return types.isSignatureLegal(op.getFunctionType());
    });
    // The shell of a role stays until everything in it knows its warps.
    target.addLegalOp<OnWarpsOp, YieldOp>();
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return types.isLegal(op); });
    target.addDynamicallyLegalDialect<math::MathDialect>([](Operation *op) {
      return !isa<math::Exp2Op, math::Log2Op, math::RsqrtOp, math::TanhOp>(
                 op) &&
             !isa<RankedTensorType>(op->getResult(0).getType());
    });
    target.addDynamicallyLegalOp<arith::DivFOp>(
        [](Operation *) { return false; });
    RewritePatternSet patterns(context);
    populateRegisterPatterns(types, patterns);
    populateMemoryPatterns(types, patterns);
    populateMatrixPatterns(types, patterns);
    populateInversePatterns(types, patterns);
    populateSyncPatterns(types, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   types);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         target);
    return applyPartialConversion(kernel, target, std::move(patterns));
  }
};

class MarkKernelsPass
    : public k3::tile::impl::MarkKernelsBase<MarkKernelsPass> {
  void runOnOperation() override {
    Builder builder(&getContext());
    auto flush = builder.getStrArrayAttr(
        {"denormal-fp-math-f32", "preserve-sign,preserve-sign"});
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      auto warps = kernel->getAttrOfType<IntegerAttr>(warpsName);
      if (!warps)
        continue;
      kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
      kernel->setAttr(
          NVVM::NVVMDialect::getMaxntidAttrName(),
          builder.getDenseI32ArrayAttr({int32_t(warps.getInt() * 32)}));
      auto workgroups = kernel->getAttrOfType<IntegerAttr>(workgroupsName);
      kernel->setAttr(
          NVVM::NVVMDialect::getMinctasmAttrName(),
          builder.getI32IntegerAttr(workgroups ? workgroups.getInt() : 1));
      kernel.setPassthroughAttr(builder.getArrayAttr({flush}));
    }
  }
};

} // namespace

void tile::addTileToLLVM(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSplitRoles());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertTileToNVVM());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  ArithToLLVMConversionPassOptions arith;
  arith.indexBitwidth = 32;
  pm.addPass(createArithToLLVMConversionPass(arith));
  pm.addPass(createConvertMathToLLVMPass());
  ConvertControlFlowToLLVMPassOptions control;
  control.indexBitwidth = 32;
  pm.addPass(createConvertControlFlowToLLVMPass(control));
  ConvertFuncToLLVMPassOptions func;
  func.indexBitwidth = 32;
  pm.addPass(createConvertFuncToLLVMPass(func));
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createMarkKernels());
}

void tile::registerTileToLLVM() {
  PassPipelineRegistration<>("k3t-to-llvm",
                             "Everything from k3t kernels to the llvm dialect",
                             [](OpPassManager &pm) { addTileToLLVM(pm); });
}
