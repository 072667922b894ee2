// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function around a kernel's code: arguments, buffers, sizes, scratch.

#include "k3/Conversion/KernelToLLVM/KernelFrame.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace k3 {

namespace {
constexpr uint64_t scratchAlignment = 64;
} // namespace

KernelFrame::KernelFrame(KernelFuncOp kernel, ModuleOp module,
                         const CpuTarget &target)
    : kernel(kernel), cpu(target), location(kernel.getLoc()),
      opBuilder(OpBuilder::atBlockEnd(module.getBody())) {
  OpBuilder &b = opBuilder;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type =
      b.getFunctionType({b.getI64Type(), pointer, pointer, pointer}, {});
  function = func::FuncOp::create(b, location, kernel.getSymName(), type);
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  workgroupIndex = arith::IndexCastOp::create(b, location, b.getIndexType(),
                                              entry->getArgument(0));
  buffers = entry->getArgument(1);
  dims = entry->getArgument(2);
  scratchBase = entry->getArgument(3);
}

Value KernelFrame::constant(int64_t value) {
  return arith::ConstantIndexOp::create(opBuilder, location, value);
}

Value KernelFrame::pointerTo(unsigned buffer) {
  OpBuilder &b = opBuilder;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value slot = LLVM::GEPOp::create(b, location, pointer, pointer, buffers,
                                   ArrayRef<LLVM::GEPArg>{int32_t(buffer)});
  return LLVM::LoadOp::create(b, location, pointer, slot);
}

unsigned KernelFrame::dimIndex(unsigned buffer, unsigned dim) {
  std::pair<unsigned, unsigned> wanted{buffer, dim};
  auto *found = llvm::find(dimList, wanted);
  if (found == dimList.end()) {
    dimList.push_back(wanted);
    return dimList.size() - 1;
  }
  return found - dimList.begin();
}

Value KernelFrame::memrefAt(Value pointer, MemRefType type,
                            ArrayRef<Value> dynamicSizes) {
  OpBuilder &b = opBuilder;
  LLVMTypeConverter converter(b.getContext());
  Type descriptorType = converter.convertType(type);
  auto i64 = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, location, b.getI64IntegerAttr(value));
  };
  SmallVector<Value> sizes;
  unsigned dynamic = 0;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size)
                        ? arith::IndexCastOp::create(b, location,
                                                     b.getI64Type(),
                                                     dynamicSizes[dynamic++])
                              .getResult()
                        : i64(size));
  Value descriptor = LLVM::PoisonOp::create(b, location, descriptorType);
  auto insert = [&](Value value, ArrayRef<int64_t> at) {
    descriptor =
        LLVM::InsertValueOp::create(b, location, descriptor, value, at);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(i64(0), {2});
  Value stride = i64(1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    insert(sizes[i], {3, i});
    insert(stride, {4, i});
    if (i > 0)
      stride = LLVM::MulOp::create(b, location, stride, sizes[i]);
  }
  return UnrealizedConversionCastOp::create(b, location, type, descriptor)
      .getResult(0);
}

/// The argument that a value is a view of, through reshapes.
static Value rootOf(Value tensor) {
  while (auto reshape = tensor.getDefiningOp<ReshapeOp>())
    tensor = reshape.getX();
  return tensor;
}

/// The yielded value whose memory holds `tensor`: itself, or a reshape of it.
static std::optional<unsigned> yieldedAs(Block &body, Value tensor) {
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    if (rootOf(value) == tensor || value == tensor)
      return index;
  return std::nullopt;
}

bool KernelFrame::isYielded(Value tensor) const {
  Block &body = const_cast<KernelFuncOp &>(kernel).getBody().front();
  return yieldedAs(body, tensor).has_value();
}

static MemRefType memrefOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return MemRefType::get(type.getShape(), type.getElementType());
}

std::optional<unsigned> KernelFrame::bufferNumber(Value tensor) {
  Value root = rootOf(tensor);
  if (auto argument = dyn_cast<BlockArgument>(root))
    return argument.getArgNumber();
  if (std::optional<unsigned> result = yieldedAs(body(), root))
    return body().getNumArguments() + *result;
  return std::nullopt;
}

Value KernelFrame::bufferOf(Value tensor) {
  if (Value known = memory.lookup(tensor))
    return known;
  std::optional<unsigned> buffer = bufferNumber(tensor);
  if (!buffer) {
    Value root = rootOf(tensor);
    Value inner = root == tensor ? Value() : memory.lookup(root);
    if (!inner)
      return {};
    // A view of scratch memory: the same dense bytes under another shape.
    MemRefType type = memrefOf(tensor);
    auto from = cast<MemRefType>(inner.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = from.getDimSize(0);
    Value view = viewAs(inner, MemRefType::get(shape, type.getElementType()));
    return memory[tensor] = view;
  }
  Value memref = bufferAs(tensor, memrefOf(tensor));
  return memory[tensor] = memref;
}

Value KernelFrame::viewAs(Value memref, MemRefType type) {
  OpBuilder &b = opBuilder;
  LLVMTypeConverter converter(b.getContext());
  Value descriptor =
      UnrealizedConversionCastOp::create(
          b, location, converter.convertType(memref.getType()), memref)
          .getResult(0);
  Value pointer = LLVM::ExtractValueOp::create(b, location, descriptor,
                                               ArrayRef<int64_t>{1});
  return memrefAt(pointer, type, {});
}

Value KernelFrame::bufferAs(Value tensor, MemRefType type) {
  std::optional<unsigned> buffer = bufferNumber(tensor);
  assert(buffer && "only arguments and yielded values have buffers");
  return memrefOfBuffer(*buffer, tensor, type);
}

Value KernelFrame::resultBuffer(unsigned index) {
  Value tensor = body().getTerminator()->getOperand(index);
  return memrefOfBuffer(body().getNumArguments() + index, tensor,
                        memrefOf(tensor));
}

Value KernelFrame::memrefOfBuffer(unsigned buffer, Value tensor,
                                  MemRefType type) {
  OpBuilder::InsertionGuard guard(opBuilder);
  opBuilder.setInsertionPoint(workgroupIndex.getDefiningOp());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(sizeOf(tensor, i));
  return memrefAt(pointerTo(buffer), type, sizes);
}

void KernelFrame::setBuffer(Value tensor, Value memref) {
  memory[tensor] = memref;
}

Value KernelFrame::sizeOf(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  std::optional<unsigned> buffer = bufferNumber(tensor);
  if (!buffer) {
    // An inner row-wise value has as many rows as an operand with a dynamic
    // leading dimension.
    Operation *op = tensor.getDefiningOp();
    for (Value operand : op->getOperands())
      if (auto from = dyn_cast<RankedTensorType>(operand.getType());
          from && from.getRank() > 0 && from.isDynamicDim(0))
        return sizeOf(operand, 0);
    llvm_unreachable("an inner value has no rows to inherit");
  }
  unsigned index = dimIndex(*buffer, dim);
  if (Value known = dimValues.lookup(index))
    return known;
  OpBuilder &b = opBuilder;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(workgroupIndex.getDefiningOp()->getBlock());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value slot = LLVM::GEPOp::create(b, location, pointer, b.getI64Type(), dims,
                                   ArrayRef<LLVM::GEPArg>{int32_t(index)});
  Value size = LLVM::LoadOp::create(b, location, b.getI64Type(), slot);
  return dimValues[index] =
             arith::IndexCastOp::create(b, location, b.getIndexType(), size);
}

Value KernelFrame::scratch(MemRefType type) {
  uint64_t bytes = type.getNumElements() *
                   llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  OpBuilder &b = opBuilder;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(workgroupIndex.getDefiningOp());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value base =
      LLVM::GEPOp::create(b, location, pointer, b.getI8Type(), scratchBase,
                          ArrayRef<LLVM::GEPArg>{int32_t(scratchBytes)});
  scratchBytes += llvm::alignTo(bytes, scratchAlignment);
  return memrefAt(base, type, {});
}

LoweredKernel KernelFrame::finish(const KernelGrid &grid) {
  LoweredKernel lowered;
  lowered.symbol = kernel.getSymName().str();
  if (grid.value) {
    auto type = cast<RankedTensorType>(grid.value.getType());
    if (type.isDynamicDim(grid.dim)) {
      sizeOf(grid.value, grid.dim);
      lowered.gridDim = dimIndex(*bufferNumber(grid.value), grid.dim);
      lowered.tile = grid.tile;
      lowered.multiplier = grid.multiplier;
    } else {
      lowered.multiplier =
          llvm::divideCeil(type.getDimSize(grid.dim), grid.tile) *
          grid.multiplier;
    }
  } else {
    lowered.multiplier = grid.multiplier;
  }
  lowered.dims = dimList;
  lowered.scratchBytes = scratchBytes;
  opBuilder.setInsertionPointToEnd(&function.getBody().back());
  func::ReturnOp::create(opBuilder, location);
  return lowered;
}

} // namespace k3
