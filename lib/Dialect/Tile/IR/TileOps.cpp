// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers: every mix-up of layouts, shapes, alignments and warps is refused
// here, in words, because LLVM and the assembler would abort or miscompile.

#include "k3/Dialect/Tile/IR/ThreadMap.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace k3::tile;

#define GET_OP_CLASSES
#include "k3/Dialect/Tile/IR/TileOps.cpp.inc"

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isAcc(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && isa_and_nonnull<AccAttr>(tile.getEncoding());
}

/// Warps of the role around an op; 0 outside of roles.
static int64_t warpsAround(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (auto role = dyn_cast<RoleOp>(parent))
      return role.getWarps();
    if (auto warps = dyn_cast<OnWarpsOp>(parent))
      return warps.getCount();
  }
  return 0;
}

/// Checks that a tile fits its layout and that the layout fits the role.
static FailureOr<ThreadMap> checkTile(Operation *op, Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return op->emitOpError() << "wants a tile, got " << type;
  FailureOr<ThreadMap> map =
      threadMap(tile, [&] { return op->emitOpError() << type << ": "; });
  if (failed(map))
    return failure();
  int64_t warps = warpsOf(tile), around = warpsAround(op);
  if (warps && around && warps != around)
    return op->emitOpError() << type << ": layout for " << warps
                             << " warps in a role of " << around;
  return map;
}

LogicalResult SplatOp::verify() {
  if (getValue().getType() != tileType(getResult()).getElementType())
    return emitOpError("the value must have the element type of the tile");
  return checkTile(*this, getType());
}

static LogicalResult checkAxis(Operation *op, int64_t axis,
                               RankedTensorType type) {
  if (axis < 0 || axis >= type.getRank())
    return op->emitOpError()
           << "axis " << axis << " of a tile of rank " << type.getRank();
  return success();
}

LogicalResult IotaOp::verify() {
  if (failed(checkAxis(*this, getAxis(), tileType(getResult()))))
    return failure();
  return checkTile(*this, getType());
}

/// Checks that `slice` is `whole` without one axis, in shape and layout.
static LogicalResult checkSlice(Operation *op, RankedTensorType slice,
                                RankedTensorType whole) {
  auto layout = dyn_cast_or_null<SliceAttr>(slice.getEncoding());
  if (!layout || layout.getParent() != whole.getEncoding())
    return op->emitOpError() << slice << " is not a slice of " << whole;
  SmallVector<int64_t> shape(whole.getShape());
  if (layout.getAxis() >= int64_t(shape.size()))
    return op->emitOpError() << slice << " is not a slice of " << whole;
  shape.erase(shape.begin() + layout.getAxis());
  if (slice.getShape() != ArrayRef<int64_t>(shape) ||
      slice.getElementType() != whole.getElementType())
    return op->emitOpError() << slice << " is not a slice of " << whole;
  return success();
}

static LogicalResult checkAlongAxis(Operation *op, Value source, int64_t axis,
                                    Value result) {
  RankedTensorType whole = tileType(source), slice = tileType(result);
  if (failed(checkAxis(op, axis, whole)) ||
      failed(checkSlice(op, slice, whole)))
    return failure();
  if (cast<SliceAttr>(slice.getEncoding()).getAxis() != axis)
    return op->emitOpError("the result is a slice along another axis");
  return checkTile(op, slice);
}

LogicalResult ReduceOp::verify() {
  FailureOr<ThreadMap> map = checkTile(*this, getSource().getType());
  if (failed(map) ||
      failed(checkAlongAxis(*this, getSource(), getAxis(), getResult())))
    return failure();
  if (spreadOverWarps(*map, getAxis()))
    return emitOpError() << "axis " << getAxis()
                         << " is spread over warps; such a sum goes through "
                            "shared memory";
  return success();
}

/// Checks that each thread holds the dimension as a whole.
static LogicalResult checkInThread(Operation *op, Value source, int64_t axis) {
  FailureOr<ThreadMap> map = checkTile(op, source.getType());
  if (failed(map) || failed(checkAxis(op, axis, tileType(source))))
    return failure();
  if (!laneMasks(*map, axis).empty() || spreadOverWarps(*map, axis))
    return op->emitOpError() << "axis " << axis << " is not held by one thread";
  return success();
}

LogicalResult ScanOp::verify() {
  return checkInThread(*this, getSource(), getAxis());
}

LogicalResult LastOp::verify() {
  if (failed(checkInThread(*this, getSource(), getAxis())))
    return failure();
  return checkAlongAxis(*this, getSource(), getAxis(), getResult());
}

LogicalResult BroadcastOp::verify() {
  if (failed(checkTile(*this, getType())))
    return failure();
  return checkSlice(*this, tileType(getSource()), tileType(getResult()));
}

LogicalResult ConcatOp::verify() {
  RankedTensorType left = tileType(getLeft()), right = tileType(getRight()),
                   result = tileType(getResult());
  if (!isAcc(left) || !isAcc(right) || !isAcc(result) ||
      left.getElementType() != right.getElementType() ||
      left.getElementType() != result.getElementType() ||
      left.getShape()[0] != right.getShape()[0] ||
      result.getShape()[0] != left.getShape()[0] ||
      result.getShape()[1] != left.getShape()[1] + right.getShape()[1])
    return emitOpError("wants tiles of equal rows with the layout acc, and a "
                       "result with the columns of both");
  return checkTile(*this, result);
}

LogicalResult LoadScalarOp::verify() {
  Type element = getBase().getType().getElementType();
  if (element != getType() && !(element.isBF16() && getType().isF32()))
    return emitOpError("the result must have the element type of the memory, "
                       "or F32 for BF16");
  return success();
}

/// What loads from and stores to device memory share.
template <typename OpTy> static LogicalResult checkGlobal(OpTy op, Type tile) {
  if (failed(checkTile(op, tile)))
    return failure();
  auto type = cast<RankedTensorType>(tile);
  Type element = op.getBase().getType().getElementType();
  bool extends = isa<LoadOp>(op) && element.isBF16() &&
                 type.getElementType().isF32() && type.getRank() == 1 &&
                 op.getRowStride();
  if (element != type.getElementType() && !extends)
    return op.emitOpError("tile and memory have different element types");
  if (type.getRank() > 1 && !op.getRowStride())
    return op.emitOpError("a tile of rank 2 or more needs a row stride");
  if (op.getCols() && type.getRank() == 1 && op.getRowStride())
    return op.emitOpError("a column has no number of columns");
  if (op.getRows() && !op.getRowStride())
    return op.emitOpError("a number of rows goes with a row stride");
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t alignment = op.getAlignment();
  if (!llvm::isPowerOf2_64(alignment) || alignment < bytes || alignment > 16)
    return op.emitOpError() << "alignment must be a power of two from " << bytes
                            << " to 16, got " << alignment;
  return success();
}

LogicalResult LoadOp::verify() { return checkGlobal(*this, getType()); }
LogicalResult StoreOp::verify() {
  auto type = tileType(getValue());
  if (getSegment() != 0 &&
      (type.getRank() != 3 || int64_t(getSegment()) < type.getShape()[1]))
    return emitOpError("segments are for tiles of rank 3 and hold their second "
                       "dimension");
  return checkGlobal(*this, type);
}

LogicalResult StageOp::verify() {
  if (getType() != getBuffer().getType().getStage())
    return emitOpError("the result must be one stage of the buffer");
  return success();
}

/// What loads from and stores to shared memory share; the tile has `rows` rows
/// as far as the buffer is concerned.
template <typename OpTy>
static LogicalResult checkShared(OpTy op, RankedTensorType type, int64_t rows) {
  SharedType buffer = op.getBuffer().getType();
  if (buffer.getStages() != 1)
    return op.emitOpError("wants one stage of the buffer (k3t.stage)");
  if (buffer.getElementType() != type.getElementType())
    return op.emitOpError("tile and buffer have different element types");
  int64_t cols = type.getShape().back();
  if (op.getTranspose()) {
    if (!isAcc(type) || !buffer.getSwizzle() || !type.getElementType().isBF16())
      return op.emitOpError("transpose is for BF16 tiles with the layout acc "
                            "and swizzled buffers");
    if (cols % 16 != 0 || op.getFirstRow() % 8 != 0)
      return op.emitOpError("transpose wants columns in multiples of 16 and a "
                            "first row in multiples of 8");
    std::swap(rows, cols);
  }
  int64_t first = op.getFirstRow(), segment = op.getSegment();
  if (segment != 0) {
    if (type.getRank() != 3 || segment < type.getShape()[1])
      return op.emitOpError("segments are for tiles of rank 3 and hold their "
                            "second dimension");
    rows = (type.getShape()[0] - 1) * segment + type.getShape()[1];
  }
  if constexpr (std::is_same_v<OpTy, StoreSharedOp>)
    if (op.getLimit())
      rows = std::min<int64_t>(rows, int64_t(*op.getLimit()) - first);
  // Elements of a buffer of rank 1 count as its rows.
  if (buffer.getRank() == 1 && type.getRank() == 1)
    std::swap(rows, cols);
  int64_t height = buffer.getRank() == 1 ? buffer.getCols() : buffer.getRows(),
          width = buffer.getRank() == 1 ? 1 : buffer.getCols();
  if (first < 0 || first + rows > height || cols > width)
    return op.emitOpError() << "the tile's " << rows << " x " << cols
                            << " elements reach beyond the buffer";
  return success();
}

static int64_t rowsOf(RankedTensorType type) {
  return type.getNumElements() / type.getShape().back();
}

LogicalResult LoadSharedOp::verify() {
  auto type = tileType(getResult());
  if (failed(checkTile(*this, type)))
    return failure();
  int64_t rows = rowsOf(type);
  if (getRepeat()) {
    bool row = type.getRank() == 1;
    SharedType buffer = getBuffer().getType();
    int64_t own = row ? buffer.getCols() : buffer.getRows();
    rows = row ? type.getShape()[0] : rows;
    if (getTranspose() || getFirstRow() != 0 || rows % own != 0 ||
        !llvm::isPowerOf2_64(own))
      return emitOpError("only a whole buffer of 2^n rows can be repeated");
    if (row)
      return checkShared(
          *this, RankedTensorType::get({own}, type.getElementType()), 1);
    rows = own;
  }
  return checkShared(*this, type, rows);
}

LogicalResult StoreSharedOp::verify() {
  auto type = tileType(getValue());
  if (failed(checkTile(*this, type)))
    return failure();
  if (!getWarpgroup() && getFirstColumn() != 0)
    return emitOpError("a first column is for stores of one warpgroup");
  if (getLimit() && (getWarpgroup() || getTranspose() || getSegment() == 0 ||
                     int64_t(*getLimit()) <= 0 || *getLimit() % getSegment()))
    return emitOpError("a limit is a number of whole segments");
  if (!getWarpgroup())
    return checkShared(*this, type, rowsOf(type));
  if (!isAcc(type) || getTranspose() || int64_t(*getWarpgroup()) < 0 ||
      int64_t(*getWarpgroup() + 1) * 64 > rowsOf(type))
    return emitOpError("a warpgroup's rows are 64 rows of a tile with the "
                       "layout acc, not transposed");
  int64_t column = getFirstColumn();
  if (column < 0 || column % 64 != 0 ||
      column + type.getShape()[1] > getBuffer().getType().getCols())
    return emitOpError("the first column must be a multiple of 64 from which "
                       "the tile fits");
  return checkShared(*this, type, 64);
}

LogicalResult CopyAsyncOp::verify() {
  SharedType buffer = getBuffer().getType();
  if (buffer.getStages() != 1)
    return emitOpError("wants one stage of the buffer (k3t.stage)");
  if (buffer.getElementType() != getBase().getType().getElementType())
    return emitOpError("buffer and memory have different element types");
  int64_t pieces = buffer.getCols() * buffer.getElementBytes();
  if (pieces % 16 != 0 ||
      (!buffer.getSwizzle() && buffer.getPad() * buffer.getElementBytes() % 16))
    return emitOpError("rows must be multiples of 16 bytes");
  if ((buffer.getRank() > 1) != bool(getRowStride()))
    return emitOpError("a row stride goes with a buffer of rank 2");
  return success();
}

/// Values pass through these ops unchanged.
static LogicalResult checkThreaded(Operation *op) {
  if (op->getOperandTypes() != op->getResultTypes())
    return op->emitOpError("results must have the types of the operands");
  for (Type type : op->getOperandTypes())
    if (!isAcc(type))
      return op->emitOpError()
             << "wants tiles with the layout acc, got " << type;
  return success();
}

LogicalResult WgmmaFenceOp::verify() { return checkThreaded(*this); }
LogicalResult WgmmaWaitOp::verify() {
  if (getPending() < 0 || getPending() > 7)
    return emitOpError("pending must be from 0 to 7");
  return checkThreaded(*this);
}

LogicalResult WgmmaOp::verify() {
  auto result = tileType(getResult());
  if (!isAcc(result) || failed(checkTile(*this, result)))
    return isAcc(result) ? failure()
                         : emitOpError("the result must have the layout acc");
  if (getAcc() && getAcc().getType() != result)
    return emitOpError("the accumulator must have the type of the result");
  int64_t m = result.getShape()[0], n = result.getShape()[1];
  if (m % 64 != 0)
    return emitOpError() << "M must be a multiple of 64, got " << m;
  if (n % 8 != 0 || n > 256)
    return emitOpError() << "N must be a multiple of 8 up to 256, got " << n;
  int64_t k = 0, groups = m / 64;
  if (getA().size() == 1 && isa<RankedTensorType>(getA()[0].getType())) {
    auto a = tileType(getA()[0]);
    if (!isAcc(a) || !a.getElementType().isBF16() || a.getShape()[0] != m)
      return emitOpError("a must be a BF16 tile of M rows with the layout acc");
    k = a.getShape()[1];
  } else {
    int64_t buffers = getA().size();
    if (buffers != groups && buffers != 1)
      return emitOpError("a must be one buffer, or one for each warpgroup");
    for (Value value : getA()) {
      auto a = dyn_cast<SharedType>(value.getType());
      if (!a || a != getA()[0].getType() || !a.getSwizzle() ||
          !a.getElementType().isBF16() || a.getRows() != m / buffers ||
          a.getStages() != 1)
        return emitOpError() << "a must be one stage of a swizzled BF16 buffer "
                                "of "
                             << m / buffers << " rows";
      k = a.getCols();
    }
  }
  if (getB().empty() ||
      (getB().size() != 1 && int64_t(getB().size()) != groups))
    return emitOpError("b must be one buffer, or one for each warpgroup");
  for (Value value : getB())
    if (value.getType() != getB()[0].getType())
      return emitOpError("the buffers of b must have one type");
  SharedType b = cast<SharedType>(getB()[0].getType());
  if (!b.getSwizzle() || !b.getElementType().isBF16() || b.getStages() != 1)
    return emitOpError("b must be one stage of a swizzled BF16 buffer");
  int64_t bk = getTransposeB() ? b.getRows() : b.getCols(),
          bn = getTransposeB() ? b.getCols() : b.getRows();
  if (k != bk || k % 16 != 0)
    return emitOpError() << "K must be one multiple of 16 on both sides, got "
                         << k << " and " << bk;
  int64_t first = getBFirst();
  int64_t step = getTransposeB() ? 64 : 8;
  if (first < 0 || first % step != 0 || first + n > bn)
    return emitOpError() << (getTransposeB() ? "columns " : "rows ") << first
                         << " to " << first + n << " of b: wants multiples of "
                         << step << " within " << bn;
  return success();
}

LogicalResult UnitLowerInverseOp::verify() {
  for (SharedType type : {getBuffer().getType(), getScratch().getType()})
    if (type.getStages() != 1 || !type.getElementType().isF32() ||
        type.getSwizzle() || type.getRank() != 2)
      return emitOpError("wants F32 buffers of rank 2 without swizzle");
  if (getBuffer().getType().getShape() != ArrayRef<int64_t>{64, 64})
    return emitOpError("the buffer must be 64 x 64");
  if (getScratch().getType().getShape() != ArrayRef<int64_t>{32, 32})
    return emitOpError("the scratch must be 32 x 32");
  int64_t around = warpsAround(*this);
  if (around != 0 && around != 8)
    return emitOpError() << "wants a role of 8 warps, got " << around;
  return success();
}

/// What `registers` may say; the hardware counts in eights.
static LogicalResult checkRegisters(Operation *op, int64_t registers) {
  if (registers != 0 &&
      (registers < 24 || registers > 256 || registers % 8 != 0))
    return op->emitOpError() << "registers must be a multiple of 8 from 24 to "
                                "256, or 0, got "
                             << registers;
  return success();
}

LogicalResult RoleOp::verify() {
  if (getWarps() < 1 || getWarps() > 32)
    return emitOpError() << "a role has 1 to 32 warps, not " << getWarps();
  if (failed(checkRegisters(*this, getRegisters())))
    return failure();
  if (int64_t(getLag()) < 0 || (getLag() != 0 && !getWith()))
    return emitOpError("a lag of 0 or more goes with another role");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("must yield a value for each of its results");
  return success();
}

LogicalResult OnWarpsOp::verify() {
  if (getFirst() < 0 || getCount() < 1 || getFirst() + getCount() > 32)
    return emitOpError("a workgroup has at most 32 warps");
  return checkRegisters(*this, getRegisters());
}
