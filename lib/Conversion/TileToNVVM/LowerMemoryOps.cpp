// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and copies.

#include "Lowering.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

/// The type of `width` neighbouring elements in registers, and how many
/// registers they are: BF16 elements go in pairs.
static Type accessType(NvEmit &emit, Type element, int64_t width) {
  int64_t count = element.isBF16() ? width / 2 : width;
  Type word = element.isBF16() ? emit.i32() : element;
  return count == 1 ? word : Type(VectorType::get({count}, word));
}

static void appendAccess(NvEmit &emit, Value loaded, Values &out) {
  if (isa<VectorType>(loaded.getType()))
    llvm::append_range(out, unpackVector(emit, loaded));
  else
    out.push_back(loaded);
}

static Value takeAccess(NvEmit &emit, Type element, int64_t width,
                        ArrayRef<Value> registers, int64_t first) {
  int64_t count = element.isBF16() ? width / 2 : width,
          start = element.isBF16() ? first / 2 : first;
  ArrayRef<Value> own = registers.slice(start, count);
  return count == 1 ? own[0] : packVector(emit, own);
}

/// `then` where `live` holds (everywhere when it is null).
static void guarded(NvEmit &emit, Value live, llvm::function_ref<void()> then) {
  if (!live)
    return then();
  auto branch = scf::IfOp::create(emit.b, emit.loc, live, /*else=*/false);
  OpBuilder::InsertionGuard guard(emit.b);
  emit.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  then();
}

namespace {

/// Addresses of a tile in device memory: one 64-bit product for each thread,
/// one more for each distinct row of a register.
class GlobalAddress {
public:
  template <typename OpTy, typename Adaptor>
  GlobalAddress(NvEmit &emit, OpTy op, Adaptor adaptor, RankedTensorType type)
      : emit(emit), bytes(bytesOf(op.getBase().getType().getElementType())),
        stride(adaptor.getRowStride()), rows(adaptor.getRows()),
        cols(adaptor.getCols()) {
    bool column = type.getRank() == 1 && stride;
    ThreadMap map = threadMap(type);
    int64_t segment = 0;
    if constexpr (std::is_same_v<OpTy, StoreOp>)
      segment = op.getSegment();
    where = rowsAndColumns(emit, op, type, map, column, segment);
    width = column ? 1 : map.run(op.getAlignment() / bytes);
    Value element = adaptor.getOffset();
    if (where.row.value && stride)
      element = emit.add(element, emit.mul(emit.wide(where.row.value), stride));
    if (where.column.value)
      element = emit.add(element, emit.wide(where.column.value));
    pointer =
        emit.offset(adaptor.getBase(), emit.mul(element, emit.c64(bytes)));
  }

  /// The address of a register's element, and whether its row is there.
  std::pair<Value, Value> at(unsigned index) {
    auto [row, column] = where.offsets[index];
    Row &own = cache[row];
    if (!own.pointer) {
      own.pointer = pointer;
      if (row != 0 && stride)
        own.pointer =
            emit.offset(pointer, emit.mul(stride, emit.c64(row * bytes)));
      if (rows) {
        Value number = emit.c32(row);
        if (where.row.value)
          number = emit.add(where.row.value, number);
        own.live = emit.less(number, rows);
      }
    }
    Value live = own.live;
    if (cols) {
      Value number = emit.c32(column);
      if (where.column.value)
        number = emit.add(where.column.value, number);
      Value inside = emit.less(number, cols);
      live = live ? Value(LLVM::AndOp::create(emit.b, emit.loc, live, inside))
                  : inside;
    }
    return {emit.offset(own.pointer, column * bytes), live};
  }

  int64_t width;

private:
  struct Row {
    Value pointer, live;
  };
  NvEmit &emit;
  int64_t bytes;
  Value stride, rows, cols, pointer;
  RowColumn where;
  llvm::MapVector<int64_t, Row> cache;
};

struct LowerLoadScalar : OpConversionPattern<LoadScalarOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LoadScalarOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    bool half = op.getBase().getType().getElementType().isBF16();
    int64_t bytes = half ? 2 : 4;
    Value pointer = emit.offset(adaptor.getBase(),
                                emit.mul(adaptor.getOffset(), emit.c64(bytes)));
    Type type = half ? rewriter.getIntegerType(16) : op.getType();
    Value value = emit.load(type, pointer, bytes);
    if (half) {
      value = LLVM::ZExtOp::create(rewriter, op.getLoc(), emit.i32(), value);
      value = LLVM::BitcastOp::create(rewriter, op.getLoc(), emit.f32(),
                                      emit.shl(value, 16));
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct LowerLoad : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    auto type = tileType(op.getResult());
    Type element = type.getElementType();
    GlobalAddress address(emit, op, adaptor, type);
    if (op.getBase().getType().getElementType().isBF16() && address.width == 1)
      return gather(emit, op, type, address, rewriter);
    Type access = accessType(emit, element, address.width);
    Values out;
    for (unsigned r = 0; r < threadMap(type).registers(); r += address.width) {
      auto [pointer, live] = address.at(r);
      appendAccess(emit,
                   loadOrZero(emit, access, pointer, live,
                              address.width * bytesOf(element)),
                   out);
    }
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }

  /// BF16 elements that are not neighbours, paired in registers or extended.
  LogicalResult gather(NvEmit &emit, LoadOp op, RankedTensorType type,
                       GlobalAddress &address,
                       ConversionPatternRewriter &rewriter) const {
    Type half = emit.b.getIntegerType(16);
    Values words, out;
    for (unsigned r = 0; r < threadMap(type).registers(); ++r) {
      auto [pointer, live] = address.at(r);
      Value loaded = loadOrZero(emit, half, pointer, live, 2);
      words.push_back(
          LLVM::ZExtOp::create(emit.b, emit.loc, emit.i32(), loaded));
    }
    if (type.getElementType().isF32())
      for (Value word : words)
        out.push_back(LLVM::BitcastOp::create(emit.b, emit.loc, emit.f32(),
                                              emit.shl(word, 16)));
    else
      for (unsigned r = 0; r < words.size(); r += 2)
        out.push_back(LLVM::OrOp::create(emit.b, emit.loc, words[r],
                                         emit.shl(words[r + 1], 16)));
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }

  Value loadOrZero(NvEmit &emit, Type type, Value pointer, Value live,
                   unsigned alignment) const {
    if (!live)
      return emit.load(type, pointer, alignment);
    auto branch =
        scf::IfOp::create(emit.b, emit.loc, type, live, /*else=*/true);
    OpBuilder::InsertionGuard guard(emit.b);
    emit.b.setInsertionPointToEnd(branch.thenBlock());
    Value loaded = emit.load(type, pointer, alignment);
    scf::YieldOp::create(emit.b, emit.loc, loaded);
    emit.b.setInsertionPointToEnd(branch.elseBlock());
    Value zero = LLVM::ZeroOp::create(emit.b, emit.loc, type);
    scf::YieldOp::create(emit.b, emit.loc, zero);
    return branch.getResult(0);
  }
};

struct LowerStore : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    auto type = tileType(op.getValue());
    Type element = type.getElementType();
    GlobalAddress address(emit, op, adaptor, type);
    Values values = unpackVector(emit, adaptor.getValue());
    unsigned count = threadMap(type).registers();
    for (unsigned r = 0; r < count; r += address.width) {
      auto [pointer, live] = address.at(r);
      Value value;
      if (element.isBF16() && address.width == 1)
        value = half(emit, values[r / 2], r % 2);
      else
        value = takeAccess(emit, element, address.width, values, r);
      guarded(emit, live, [&, pointer = pointer] {
        emit.store(value, pointer, address.width * bytesOf(element));
      });
    }
    rewriter.eraseOp(op);
    return success();
  }

  Value half(NvEmit &emit, Value pair, bool upper) const {
    if (upper)
      pair = emit.shr(pair, 16);
    return LLVM::TruncOp::create(emit.b, emit.loc, emit.b.getIntegerType(16),
                                 pair);
  }
};

struct LowerAllocShared : OpConversionPattern<AllocSharedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AllocSharedOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    int64_t offset = op->getAttrOfType<IntegerAttr>(offsetName).getInt();
    rewriter.replaceOp(op, sharedPointer(emit, offset));
    return success();
  }
};

struct LowerStage : OpConversionPattern<StageOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    int64_t bytes = llvm::alignTo(op.getType().getStageBytes(),
                                  op.getType().getAlignment());
    rewriter.replaceOp(
        op, emit.offset(adaptor.getBuffer(),
                        emit.mul(adaptor.getIndex(), emit.c32(bytes))));
    return success();
  }
};

/// Elements that one access to a buffer may take: neighbours in registers that
/// are neighbours in memory, up to 16 aligned bytes.
int64_t sharedWidth(const ThreadMap &map, SharedType buffer) {
  int64_t bytes = buffer.getElementBytes();
  int64_t width = map.run(16 / bytes);
  if (!buffer.getSwizzle())
    while ((buffer.getCols() + buffer.getPad()) % width != 0)
      width /= 2;
  return width;
}

/// Addresses of the four 8 x 8 matrices that hold 16 x 16 elements of a
/// transposed tile; lane l gives row l mod 8 of matrix l / 8.
class TransposedAddress {
public:
  TransposedAddress(NvEmit &emit, Operation *op, SharedType type, Value pointer)
      : emit(emit) {
    Value lane = emit.lane();
    Value row = emit.bitAnd(lane, emit.c32(7)); // of one matrix
    Value number = emit.shr(lane, 3);
    Value lower = emit.bitAnd(number, emit.c32(1));
    Value upper = emit.shr(number, 1);
    // In 8-element pieces: the tile's row is the buffer's column.
    Value piece = emit.add(emit.shl(localWarp(emit, op), 1), lower);
    Value panel = emit.shr(piece, 3);
    Value within = emit.bitXor(emit.bitAnd(piece, emit.c32(7)), row);
    Value bytes = emit.add(emit.shl(emit.add(emit.shl(upper, 3), row), 7),
                           emit.shl(within, 4));
    bytes = emit.add(bytes, emit.mul(panel, emit.c32(type.getPanelBytes())));
    base = emit.offset(pointer, bytes);
  }
  Value at(int64_t firstRow) { return emit.offset(base, firstRow * 128); }

private:
  NvEmit &emit;
  Value base;
};

/// `first_row` counts elements where the buffer is one row.
template <typename OpTy>
Value elementAt(SharedAddress &address, OpTy op, int64_t row, int64_t column) {
  int64_t first = op.getFirstRow();
  if (op.getBuffer().getType().getRank() == 1)
    return address.at(row, column + first);
  return address.at(row + first, column);
}

struct LowerLoadShared : OpConversionPattern<LoadSharedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LoadSharedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    auto type = tileType(op.getResult());
    SharedType buffer = op.getBuffer().getType();
    Values out;
    if (op.getTranspose()) {
      TransposedAddress address(emit, op, buffer, adaptor.getBuffer());
      for (int64_t column = 0; column < type.getShape()[1]; column += 16)
        llvm::append_range(out, emit.loadMatrixTransposed(
                                    address.at(column + op.getFirstRow())));
      rewriter.replaceOp(op, packVector(emit, out));
      return success();
    }
    ThreadMap map = threadMap(type);
    RowColumn where =
        rowsAndColumns(emit, op, type, map, false, op.getSegment());
    bool isRow = type.getRank() == 1;
    int64_t period = isRow ? buffer.getCols() : buffer.getRows();
    ThreadIndex &repeated = isRow ? where.column : where.row;
    if (op.getRepeat() && repeated.value) {
      repeated.value = emit.bitAnd(repeated.value, emit.c32(period - 1));
      repeated.bits &= period - 1;
    }
    SharedAddress address(emit, buffer, adaptor.getBuffer(), where.row,
                          where.column);
    int64_t width = sharedWidth(map, buffer);
    Type access = accessType(emit, buffer.getElementType(), width);
    for (unsigned r = 0; r < map.registers(); r += width) {
      auto [row, column] = where.offsets[r];
      if (op.getRepeat())
        (isRow ? column : row) %= period;
      Value pointer = elementAt(address, op, row, column);
      appendAccess(emit,
                   emit.load(access, pointer, width * buffer.getElementBytes()),
                   out);
    }
    rewriter.replaceOp(op, packVector(emit, out));
    return success();
  }
};

struct LowerStoreShared : OpConversionPattern<StoreSharedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StoreSharedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    if (op.getLimit()) {
      // Segments are held by whole threads.
      ThreadMap map = threadMap(tileType(op.getValue()));
      RowColumn where = rowsAndColumns(emit, op, tileType(op.getValue()), map,
                                       false, op.getSegment());
      guarded(emit, emit.less(where.row.value, emit.c32(*op.getLimit())),
              [&] { storeAll(emit, op, adaptor, 0); });
    } else if (!op.getWarpgroup()) {
      storeAll(emit, op, adaptor, 0);
    } else {
      Value group = emit.shr(uniformWarp(emit, op), 2);
      Value own = emit.equal(group, emit.c32(*op.getWarpgroup()));
      guarded(emit, own,
              [&] { storeAll(emit, op, adaptor, *op.getWarpgroup() * 64); });
    }
    rewriter.eraseOp(op);
    return success();
  }

  /// 16 x 16 elements are four 8 x 8 matrices, which one instruction stores;
  /// lane l gives row l mod 8 of matrix l / 8.
  void storeMatrices(NvEmit &emit, StoreSharedOp op, OpAdaptor adaptor,
                     int64_t skipped, ArrayRef<Value> values) const {
    auto type = tileType(op.getValue());
    Value lane = emit.lane(), number = emit.shr(lane, 3);
    Value row = emit.add(emit.shl(emit.bitAnd(number, emit.c32(1)), 3),
                         emit.bitAnd(lane, emit.c32(7)));
    Value warpRow = emit.shl(localWarp(emit, op), 4);
    row = emit.add(row, emit.add(warpRow, emit.c32(-skipped)));
    Value column = emit.shl(emit.shr(number, 1), 3);
    SharedAddress address(emit, op.getBuffer().getType(), adaptor.getBuffer(),
                          {row, type.getShape()[0] - 1}, {column, 8});
    for (int64_t first = 0; first < type.getShape()[1]; first += 16)
      emit.storeMatrix(
          address.at(op.getFirstRow(), int64_t(op.getFirstColumn()) + first),
          values.slice(first / 4, 4));
  }

  /// The tile's row `skipped` is the first one in the buffer.
  void storeAll(NvEmit &emit, StoreSharedOp op, OpAdaptor adaptor,
                int64_t skipped) const {
    auto type = tileType(op.getValue());
    SharedType buffer = op.getBuffer().getType();
    Values values = unpackVector(emit, adaptor.getValue());
    if (op.getTranspose()) {
      TransposedAddress address(emit, op, buffer, adaptor.getBuffer());
      for (int64_t column = 0; column < type.getShape()[1]; column += 16)
        emit.storeMatrixTransposed(
            address.at(column + op.getFirstRow()),
            ArrayRef<Value>(values).slice(column / 16 * 4, 4));
      return;
    }
    if (isa<AccAttr>(type.getEncoding()) && buffer.getSwizzle() &&
        type.getElementType().isBF16() && type.getShape()[1] % 16 == 0)
      return storeMatrices(emit, op, adaptor, skipped, values);
    ThreadMap map = threadMap(type);
    RowColumn where =
        rowsAndColumns(emit, op, type, map, false, op.getSegment());
    if (skipped) {
      where.row.value = emit.add(where.row.value, emit.c32(-skipped));
      where.row.bits &= 63;
    }
    SharedAddress address(emit, buffer, adaptor.getBuffer(), where.row,
                          where.column);
    int64_t width = sharedWidth(map, buffer);
    for (unsigned r = 0; r < map.registers(); r += width) {
      auto [row, column] = where.offsets[r];
      column += op.getFirstColumn();
      emit.store(takeAccess(emit, buffer.getElementType(), width, values, r),
                 elementAt(address, op, row, column),
                 width * buffer.getElementBytes());
    }
  }
};

struct LowerCopyAsync : OpConversionPattern<CopyAsyncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit emit(rewriter, op.getLoc());
    SharedType buffer = op.getBuffer().getType();
    int64_t bytes = buffer.getElementBytes(), perPiece = 16 / bytes;
    int64_t pieces = buffer.getCols() / perPiece; // of a row
    int64_t threads = warpsAround(op).count * 32;
    if (buffer.getRows() == 1 && pieces < threads)
      return copyRow(emit, op, adaptor, pieces, rewriter);
    if (threads % pieces != 0 || buffer.getRows() % (threads / pieces) != 0)
      return op.emitError() << "rows of " << pieces << " pieces of 16 bytes do "
                            << "not divide among " << threads << " threads";
    int64_t step = threads / pieces; // rows that one round fills
    Value thread = localThread(emit, op);
    Value row = emit.shr(thread, llvm::Log2_64(pieces));
    Value column =
        emit.mul(emit.bitAnd(thread, emit.c32(pieces - 1)), emit.c32(perPiece));
    SharedAddress address(emit, buffer, adaptor.getBuffer(), {row, step - 1},
                          {column, (pieces - 1) * perPiece});
    Value element = emit.add(adaptor.getOffset(), emit.wide(column));
    Value stride = adaptor.getRowStride();
    if (stride)
      element = emit.add(element, emit.mul(emit.wide(row), stride));
    Value source =
        emit.offset(adaptor.getBase(), emit.mul(element, emit.c64(bytes)));
    for (int64_t first = 0; first < buffer.getRows(); first += step) {
      Value own = source;
      if (first != 0)
        own = emit.offset(source, emit.mul(stride, emit.c64(first * bytes)));
      Value live = LLVM::ConstantOp::create(rewriter, op.getLoc(),
                                            rewriter.getI1Type(), true);
      if (adaptor.getRows())
        live = emit.less(emit.add(row, emit.c32(first)), adaptor.getRows());
      emit.copyAsync(address.at(first, 0), own, live);
    }
    rewriter.eraseOp(op);
    return success();
  }

  /// A row that fewer threads than there are can fill.
  LogicalResult copyRow(NvEmit &emit, CopyAsyncOp op, OpAdaptor adaptor,
                        int64_t pieces,
                        ConversionPatternRewriter &rewriter) const {
    Value thread = localThread(emit, op);
    guarded(emit, emit.less(thread, emit.c32(pieces)), [&] {
      Value bytes = emit.shl(thread, 4);
      int64_t size = op.getBuffer().getType().getElementBytes();
      Value source = emit.offset(adaptor.getBase(),
                                 emit.mul(adaptor.getOffset(), emit.c64(size)));
      Value live = LLVM::ConstantOp::create(rewriter, op.getLoc(),
                                            rewriter.getI1Type(), true);
      emit.copyAsync(emit.offset(adaptor.getBuffer(), bytes),
                     emit.offset(source, emit.wide(bytes)), live);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerCopyWait : OpConversionPattern<CopyWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NvEmit(rewriter, op.getLoc()).copyWait();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tile::populateMemoryPatterns(const TypeConverter &types,
                                  RewritePatternSet &patterns) {
  patterns
      .add<LowerLoadScalar, LowerLoad, LowerStore, LowerAllocShared, LowerStage,
           LowerLoadShared, LowerStoreShared, LowerCopyAsync, LowerCopyWait>(
          types, patterns.getContext());
}
