// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread's elements are: in a tile, and in shared memory.

#include "Lowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

Values tile::unpackVector(NvEmit &emit, Value vector) {
  Values elements;
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(
        vector::ExtractOp::create(emit.b, emit.loc, vector, ArrayRef{i}));
  return elements;
}

Value tile::packVector(NvEmit &emit, ValueRange elements) {
  auto type =
      VectorType::get({int64_t(elements.size())}, elements[0].getType());
  return vector::FromElementsOp::create(emit.b, emit.loc, type, elements);
}

WarpRange tile::warpsAround(Operation *op) {
  if (auto warps = op->getParentOfType<OnWarpsOp>())
    return {int64_t(warps.getFirst()), int64_t(warps.getCount()), false};
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  auto count = kernel->getAttrOfType<IntegerAttr>(warpsName);
  return {0, count.getInt(), true};
}

Value tile::localWarp(NvEmit &emit, Operation *op) {
  WarpRange range = warpsAround(op);
  if (range.count == 1)
    return emit.c32(0);
  return emit.add(emit.shr(emit.threadId(), 5), emit.c32(-range.first));
}

Value tile::uniformWarp(NvEmit &emit, Operation *op) {
  return emit.add(emit.warp(), emit.c32(-warpsAround(op).first));
}

Value tile::localThread(NvEmit &emit, Operation *op) {
  return emit.add(emit.threadId(), emit.c32(-32 * warpsAround(op).first));
}

static int64_t bitsBelow(int64_t count, int64_t scale) {
  return (count - 1) * scale;
}

SmallVector<ThreadIndex, 3> tile::threadIndices(NvEmit &emit, Operation *op,
                                                const ThreadMap &map) {
  Value lane = emit.lane(), warp;
  SmallVector<ThreadIndex, 3> indices(map.rank());
  for (unsigned d = 0; d < map.rank(); ++d) {
    ThreadIndex &index = indices[d];
    for (const ThreadTerm &term : map.base[d]) {
      if (term.modulus == 1)
        continue;
      if (term.ofWarp && !warp)
        warp = localWarp(emit, op);
      Value part = term.ofWarp ? warp : lane;
      part = emit.shr(part, llvm::Log2_64(term.divisor));
      part = emit.bitAnd(part, emit.c32(term.modulus - 1));
      part = emit.shl(part, llvm::Log2_64(term.scale));
      index.value = index.value ? emit.add(index.value, part) : part;
      index.bits |= bitsBelow(term.modulus, term.scale);
    }
  }
  return indices;
}

RowColumn tile::rowsAndColumns(NvEmit &emit, Operation *op,
                               RankedTensorType type, const ThreadMap &map,
                               bool column) {
  SmallVector<ThreadIndex, 3> indices = threadIndices(emit, op, map);
  ArrayRef<int64_t> shape = type.getShape();
  unsigned last = column ? map.rank() : map.rank() - 1;
  RowColumn out;
  SmallVector<int64_t, 3> stride(map.rank(), 1);
  for (int d = int(last) - 2; d >= 0; --d)
    stride[d] = stride[d + 1] * shape[d + 1];
  for (unsigned d = 0; d < last; ++d) {
    if (!indices[d].value)
      continue;
    Value part = emit.mul(indices[d].value, emit.c32(stride[d]));
    out.row.value = out.row.value ? emit.add(out.row.value, part) : part;
    out.row.bits |= indices[d].bits * stride[d];
  }
  if (!column)
    out.column = indices[last];
  for (const auto &offset : map.offsets) {
    int64_t row = 0;
    for (unsigned d = 0; d < last; ++d)
      row += offset[d] * stride[d];
    out.offsets.push_back({row, column ? 0 : offset[last]});
  }
  return out;
}

SharedAddress::SharedAddress(NvEmit &emit, SharedType type, Value pointer,
                             ThreadIndex row, ThreadIndex column)
    : emit(emit), type(type), pointer(pointer), row(row), column(column) {
  int64_t bytes = type.getElementBytes();
  auto plus = [&](Value sum, Value part) {
    return sum ? emit.add(sum, part) : part;
  };
  if (!type.getSwizzle()) {
    int64_t rowBytes = (type.getCols() + type.getPad()) * bytes;
    if (row.value)
      linear = emit.mul(row.value, emit.c32(rowBytes));
    if (column.value)
      linear = plus(linear, emit.mul(column.value, emit.c32(bytes)));
    if (linear)
      this->pointer = emit.offset(pointer, linear);
    return;
  }
  int64_t panel = type.getPanelCols(), perPiece = 16 / bytes;
  if (row.value) {
    linear = emit.shl(row.value, 7);
    if (row.bits & 7)
      piece = emit.bitAnd(row.value, emit.c32(7));
  }
  if (column.value) {
    if (column.bits >= panel) {
      Value number = emit.shr(column.value, llvm::Log2_64(panel));
      linear = plus(linear, emit.mul(number, emit.c32(type.getPanelBytes())));
    }
    Value within = emit.bitAnd(column.value, emit.c32(panel - 1));
    if (column.bits & (panel - 1) & ~(perPiece - 1)) {
      Value own = emit.shr(within, llvm::Log2_64(perPiece));
      piece = piece ? emit.bitXor(piece, own) : own;
    }
    if (column.bits & (perPiece - 1)) {
      Value rest = emit.bitAnd(within, emit.c32(perPiece - 1));
      linear = plus(linear, emit.mul(rest, emit.c32(bytes)));
    }
  }
  pointers.resize(8);
}

/// Bits of the thread's and of the register's part never overlap here, so that
/// a sum is an xor, and the xor of the swizzle splits into a part of the thread
/// and a constant.
Value SharedAddress::swizzled(int64_t rowPart, int64_t columnPart) {
  assert((row.bits & rowPart) == 0 && (column.bits & columnPart) == 0 &&
         "layouts are sums of disjoint bits");
  int64_t bytes = type.getElementBytes(), panel = type.getPanelCols(),
          perPiece = 16 / bytes;
  int64_t within = columnPart % panel;
  int64_t constant = (within / perPiece) ^ (rowPart & 7);
  Value &base = pointers[constant];
  if (!base) {
    Value own =
        piece ? emit.bitXor(piece, emit.c32(constant)) : emit.c32(constant);
    Value total = emit.shl(own, 4);
    if (linear)
      total = emit.add(total, linear);
    base = emit.offset(pointer, total);
  }
  return emit.offset(base, rowPart * 128 +
                               columnPart / panel * type.getPanelBytes() +
                               within % perPiece * bytes);
}

Value SharedAddress::at(int64_t rowPart, int64_t columnPart) {
  if (type.getSwizzle())
    return swizzled(rowPart, columnPart);
  int64_t bytes = type.getElementBytes();
  return emit.offset(pointer,
                     rowPart * (type.getCols() + type.getPad()) * bytes +
                         columnPart * bytes);
}

Value tile::sharedPointer(NvEmit &emit, int64_t offset) {
  Value base = LLVM::AddressOfOp::create(
      emit.b, emit.loc, LLVM::LLVMPointerType::get(emit.b.getContext(), 3),
      sharedSymbol);
  return emit.offset(base, offset);
}
