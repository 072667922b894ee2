// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the k3t dialect; its layouts and types.

#include "k3/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace k3::tile;

#include "k3/Dialect/Tile/IR/TileDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "k3/Dialect/Tile/IR/TileAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "k3/Dialect/Tile/IR/TileTypes.cpp.inc"

void K3TDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "k3/Dialect/Tile/IR/TileAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "k3/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "k3/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

LogicalResult BlockedAttr::verify(EmitError emitError, ArrayRef<int64_t> size,
                                  ArrayRef<int64_t> lanes,
                                  ArrayRef<int64_t> warps) {
  if (size.empty() || size.size() != lanes.size() ||
      size.size() != warps.size())
    return emitError() << "size, lanes and warps must have one rank";
  int64_t warp = 1;
  for (auto [own, lane, count] : llvm::zip(size, lanes, warps)) {
    for (int64_t number : {own, lane, count})
      if (number <= 0 || !llvm::isPowerOf2_64(number))
        return emitError() << "every number of a blocked layout must be a "
                              "power of two, got "
                           << number;
    warp *= lane;
  }
  if (warp != 32)
    return emitError() << "a warp has 32 lanes, the layout gives it " << warp;
  return success();
}

LogicalResult SliceAttr::verify(EmitError emitError, int64_t axis,
                                Attribute parent) {
  if (!isa_and_nonnull<BlockedAttr, AccAttr, SliceAttr>(parent))
    return emitError() << "the parent of a slice must be a k3t layout";
  if (axis < 0)
    return emitError() << "negative axis";
  return success();
}

int64_t SharedType::getElementBytes() const {
  return getElementType().getIntOrFloatBitWidth() / 8;
}

int64_t SharedType::getStageBytes() const {
  if (getSwizzle())
    return getCols() / getPanelCols() * getPanelBytes();
  return getRows() * (getCols() + getPad()) * getElementBytes();
}

SharedType SharedType::getStage() const {
  return get(getContext(), getShape(), getElementType(), getSwizzle(), getPad(),
             /*stages=*/1);
}

LogicalResult SharedType::verify(EmitError emitError, ArrayRef<int64_t> shape,
                                 Type elementType, bool swizzle, int64_t pad,
                                 int64_t stages) {
  if (shape.empty() || shape.size() > 2 ||
      llvm::any_of(shape, [](int64_t size) { return size <= 0; }))
    return emitError() << "a shared buffer has 1 or 2 positive dimensions";
  if (!elementType.isF32() && !elementType.isBF16() &&
      !elementType.isInteger(32))
    return emitError() << "a shared buffer holds f32, bf16 or i32, not "
                       << elementType;
  if (stages < 1 || stages > 8)
    return emitError() << "a shared buffer has 1 to 8 stages, not " << stages;
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  if (swizzle &&
      (shape.size() != 2 || shape[0] % 8 != 0 || shape[1] * bytes % 128 != 0))
    return emitError() << "a swizzled buffer has rows in multiples of 8 and "
                          "columns in multiples of 128 bytes";
  if (pad < 0 || (swizzle && pad != 0))
    return emitError() << "pad must not be negative, nor go with a swizzle";
  return success();
}
