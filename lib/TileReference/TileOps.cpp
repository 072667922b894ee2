// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops of k3t do to whole tiles. Products are sums in F32 in the order
// of K; everything asynchronous has happened when its op is over.

#include "TileMachine.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace k3;
using namespace k3::tile;

/// The size of what lies inside and the number of indices along one dimension.
static std::pair<int64_t, int64_t> innerAndExtent(const HostTile &tile,
                                                  int64_t axis) {
  int64_t inner = 1;
  for (int64_t extent : ArrayRef<int64_t>(tile.shape).drop_front(axis + 1))
    inner *= extent;
  return {inner, tile.shape[axis]};
}

/// Sums, inclusive sums or last elements along a dimension.
LogicalResult TileMachine::alongAxis(Operation *op, Value source,
                                     int64_t axis) {
  const HostTile &in = *values[source].tile;
  auto out = makeTile(op->getResult(0).getType());
  auto [inner, extent] = innerAndExtent(in, axis);
  bool scans = isa<ScanOp>(op), sums = isa<ReduceOp>(op);
  for (int64_t i = 0; i < in.size() / extent; ++i) {
    int64_t first = i / inner * inner * extent + i % inner;
    float sum = 0;
    for (int64_t k = 0; k < extent; ++k) {
      float own = in.floats[first + k * inner];
      sum = sums || scans ? sum + own : own;
      if (scans)
        out->floats[first + k * inner] = sum;
    }
    if (!scans)
      out->floats[i] = sum;
  }
  values[op->getResult(0)].tile = out;
  return success();
}

LogicalResult TileMachine::broadcast(BroadcastOp op) {
  const HostTile &in = *values[op.getSource()].tile;
  auto out = makeTile(op.getType());
  auto layout = cast<SliceAttr>(
      cast<RankedTensorType>(op.getSource().getType()).getEncoding());
  auto [inner, extent] = innerAndExtent(*out, layout.getAxis());
  for (int64_t i = 0; i < out->size(); ++i) {
    int64_t from = i / (inner * extent) * inner + i % inner;
    if (out->floats.empty())
      out->integers[i] = in.integers[from];
    else
      out->floats[i] = in.floats[from];
  }
  values[op.getResult()].tile = out;
  return success();
}

LogicalResult TileMachine::concat(ConcatOp op) {
  const HostTile &left = *values[op.getLeft()].tile,
                 &right = *values[op.getRight()].tile;
  auto out = makeTile(op.getType());
  for (int64_t r = 0; r < out->rows(); ++r)
    for (int64_t c = 0; c < out->cols(); ++c)
      out->floats[r * out->cols() + c] =
          c < left.cols() ? left.floats[r * left.cols() + c]
                          : right.floats[r * right.cols() + c - left.cols()];
  values[op.getResult()].tile = out;
  return success();
}

LogicalResult TileMachine::byWarpgroup(ByWarpgroupOp op) {
  const HostTile &first = *values[op.getFirst()].tile,
                 &second = *values[op.getSecond()].tile;
  auto out = std::make_shared<HostTile>(first);
  int64_t half = out->size() / 2;
  if (out->floats.empty())
    std::copy(second.integers.begin() + half, second.integers.end(),
              out->integers.begin() + half);
  else
    std::copy(second.floats.begin() + half, second.floats.end(),
              out->floats.begin() + half);
  values[op.getResult()].tile = out;
  return success();
}

float *TileMachine::element(Operation *op, const HostValue &memory,
                            int64_t index) {
  std::vector<float> *floats = memory.memory.floats;
  if (!floats || index < 0 || index >= int64_t(floats->size())) {
    op->emitError() << "reaches element " << index << " of "
                    << (floats ? floats->size() : 0);
    return nullptr;
  }
  return &(*floats)[index];
}

LogicalResult TileMachine::loadScalar(LoadScalarOp op) {
  int64_t index = values[op.getOffset()].integer;
  HostValue &out = values[op.getResult()];
  if (op.getType().isF32()) {
    float *from = element(op, values[op.getBase()], index);
    if (!from)
      return failure();
    out.real = *from;
    return success();
  }
  std::vector<int32_t> *integers = values[op.getBase()].memory.integers;
  if (!integers || index < 0 || index >= int64_t(integers->size()))
    return op.emitError() << "reaches element " << index << " of "
                          << (integers ? integers->size() : 0);
  out.integer = (*integers)[index];
  return success();
}

/// Rows and columns of a tile in device memory: a tile of rank 1 with a stride
/// is a column.
template <typename OpTy>
static std::pair<int64_t, int64_t> shapeInMemory(OpTy op,
                                                 const HostTile &tile) {
  if (tile.shape.size() == 1 && op.getRowStride())
    return {tile.size(), 1};
  return {tile.rows(), tile.cols()};
}

LogicalResult TileMachine::load(LoadOp op) {
  auto out = makeTile(op.getType());
  auto [rows, cols] = shapeInMemory(op, *out);
  int64_t stride = op.getRowStride() ? values[op.getRowStride()].integer : 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      if ((op.getRows() && r >= values[op.getRows()].integer) ||
          (op.getCols() && c >= values[op.getCols()].integer))
        continue;
      float *from = element(op, values[op.getBase()],
                            values[op.getOffset()].integer + r * stride + c);
      if (!from)
        return failure();
      out->floats[r * cols + c] = *from;
    }
  values[op.getResult()].tile = out;
  return success();
}

/// The row in memory of row `r` of a tile whose first dimension is segments.
static int64_t segmentRow(const HostTile &tile, int64_t segment, int64_t r) {
  if (segment == 0)
    return r;
  return r / tile.shape[1] * segment + r % tile.shape[1];
}

LogicalResult TileMachine::store(StoreOp op) {
  const HostTile &in = *values[op.getValue()].tile;
  auto [rows, cols] = shapeInMemory(op, in);
  int64_t stride = op.getRowStride() ? values[op.getRowStride()].integer : 0;
  int64_t skipped = op.getWarpgroup() ? 64 * int64_t(*op.getWarpgroup()) : 0;
  int64_t end = op.getWarpgroup() ? skipped + 64 : rows;
  for (int64_t r = skipped; r < end; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      if ((op.getRows() && r >= values[op.getRows()].integer) ||
          (op.getCols() && c >= values[op.getCols()].integer))
        continue;
      int64_t row = segmentRow(in, op.getSegment(), r - skipped);
      float *to = element(op, values[op.getBase()],
                          values[op.getOffset()].integer + row * stride + c);
      if (!to)
        return failure();
      *to = in.floats[r * cols + c];
    }
  return success();
}

void TileMachine::allocate(AllocSharedOp op) {
  SharedType type = op.getType();
  auto buffer = std::make_shared<HostBuffer>();
  buffer->rows = type.getRows();
  buffer->cols = type.getCols();
  buffer->elements.assign(type.getStages() * buffer->rows * buffer->cols,
                          std::numeric_limits<float>::quiet_NaN());
  values[op.getResult()].buffer = buffer;
}

static float &at(const HostValue &buffer, int64_t row, int64_t column) {
  HostBuffer &own = *buffer.buffer;
  return own.elements[(buffer.stage * own.rows + row) * own.cols + column];
}

LogicalResult TileMachine::loadShared(LoadSharedOp op) {
  const HostValue &buffer = values[op.getBuffer()];
  auto out = makeTile(op.getType());
  int64_t first = op.getFirstRow();
  bool line = op.getBuffer().getType().getRank() == 1;
  for (int64_t r = 0; r < out->rows(); ++r)
    for (int64_t c = 0; c < out->cols(); ++c) {
      int64_t row = segmentRow(*out, op.getSegment(), r), column = c;
      if (op.getTranspose())
        std::swap(row, column);
      (line ? column : row) += first;
      if (op.getRepeat()) {
        row %= buffer.buffer->rows;
        column %= buffer.buffer->cols;
      }
      out->floats[r * out->cols() + c] = at(buffer, row, column);
    }
  values[op.getResult()].tile = out;
  return success();
}

LogicalResult TileMachine::storeShared(StoreSharedOp op) {
  const HostValue &buffer = values[op.getBuffer()];
  const HostTile &in = *values[op.getValue()].tile;
  int64_t first = op.getFirstRow();
  int64_t skipped = op.getWarpgroup() ? 64 * int64_t(*op.getWarpgroup()) : 0;
  int64_t end = op.getWarpgroup() ? skipped + 64 : in.rows();
  bool line = op.getBuffer().getType().getRank() == 1;
  for (int64_t r = skipped; r < end; ++r)
    for (int64_t c = 0; c < in.cols(); ++c) {
      int64_t row = segmentRow(in, op.getSegment(), r - skipped), column = c;
      if (op.getTranspose())
        std::swap(row, column);
      (line ? column : row) += first;
      if (op.getLimit() && row >= int64_t(*op.getLimit()))
        continue;
      at(buffer, row, column + op.getFirstColumn()) =
          in.floats[r * in.cols() + c];
    }
  return success();
}

LogicalResult TileMachine::copyAsync(CopyAsyncOp op) {
  const HostValue &buffer = values[op.getBuffer()];
  int64_t stride = op.getRowStride() ? values[op.getRowStride()].integer : 0;
  for (int64_t r = 0; r < buffer.buffer->rows; ++r)
    for (int64_t c = 0; c < buffer.buffer->cols; ++c) {
      at(buffer, r, c) = 0;
      if (op.getRows() && r >= values[op.getRows()].integer)
        continue;
      float *from = element(op, values[op.getBase()],
                            values[op.getOffset()].integer + r * stride + c);
      if (!from)
        return failure();
      at(buffer, r, c) = *from;
    }
  return success();
}

LogicalResult TileMachine::wgmma(WgmmaOp op) {
  auto out = makeTile(op.getResult().getType());
  if (op.getAcc())
    *out = *values[op.getAcc()].tile;
  int64_t n = out->cols(), first = op.getBFirst();
  bool inRegisters = isa<RankedTensorType>(op.getA()[0].getType());
  bool transposed = op.getTransposeB();
  for (int64_t r = 0; r < out->rows(); ++r) {
    auto own = [&](OperandRange buffers) -> const HostValue & {
      return values[buffers[buffers.size() == 1 ? 0 : r / 64]];
    };
    const HostValue &a = own(op.getA()), &b = own(op.getB());
    int64_t depth = inRegisters ? a.tile->cols() : a.buffer->cols;
    int64_t aRow = op.getA().size() == 1 ? r : r % 64;
    for (int64_t c = 0; c < n; ++c) {
      float sum = out->floats[r * n + c];
      for (int64_t k = 0; k < depth; ++k) {
        float x = inRegisters ? a.tile->floats[r * depth + k] : at(a, aRow, k);
        float y = transposed ? at(b, k, first + c) : at(b, first + c, k);
        sum += (op.getNegate() ? -x : x) * y;
      }
      out->floats[r * n + c] = sum;
    }
  }
  values[op.getResult()].tile = out;
  return success();
}

/// Forward substitution in F64: the exact inverse, rounded once.
LogicalResult TileMachine::inverse(UnitLowerInverseOp op) {
  const HostValue &buffer = values[op.getBuffer()];
  int64_t n = buffer.buffer->rows;
  std::vector<double> t(n * n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      double sum = i == j;
      for (int64_t m = j; m < i; ++m)
        sum -= double(at(buffer, i, m)) * t[m * n + j];
      t[i * n + j] = sum;
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      at(buffer, i, j) = t[i * n + j];
  return success();
}

LogicalResult TileMachine::tileOperation(Operation *op) {
  auto pass = [&](OperandRange operands, ResultRange results) {
    for (auto [operand, result] : llvm::zip(operands, results))
      values[result] = values[operand];
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](RoleOp role) { return nested(role, role.getBody().front()); })
      .Case([&](BlockIdOp id) {
        values[id.getId()].integer = workgroup;
        return success();
      })
      .Case([&](SplatOp splat) {
        auto tile = makeTile(splat.getType());
        llvm::fill(tile->floats, values[splat.getValue()].real);
        llvm::fill(tile->integers, values[splat.getValue()].integer);
        values[splat.getResult()].tile = tile;
        return success();
      })
      .Case([&](IotaOp iota) {
        auto tile = makeTile(iota.getType());
        auto [inner, extent] = innerAndExtent(*tile, iota.getAxis());
        for (int64_t i = 0; i < tile->size(); ++i)
          tile->integers[i] = i / inner % extent;
        values[iota.getResult()].tile = tile;
        return success();
      })
      .Case<ReduceOp, ScanOp, LastOp>([&](auto along) {
        return alongAxis(along, along.getSource(), along.getAxis());
      })
      .Case([&](BroadcastOp own) { return broadcast(own); })
      .Case([&](ConcatOp own) { return concat(own); })
      .Case([&](ByWarpgroupOp own) { return byWarpgroup(own); })
      .Case([&](LoadScalarOp own) { return loadScalar(own); })
      .Case([&](LoadOp own) { return load(own); })
      .Case([&](StoreOp own) { return store(own); })
      .Case([&](AllocSharedOp own) {
        allocate(own);
        return success();
      })
      .Case([&](StageOp own) {
        HostValue stage = values[own.getBuffer()];
        stage.stage = values[own.getIndex()].integer;
        values[own.getResult()] = stage;
        return success();
      })
      .Case([&](LoadSharedOp own) { return loadShared(own); })
      .Case([&](StoreSharedOp own) { return storeShared(own); })
      .Case([&](CopyAsyncOp own) { return copyAsync(own); })
      .Case([&](WgmmaOp own) { return wgmma(own); })
      .Case([&](UnitLowerInverseOp own) { return inverse(own); })
      .Case([&](WgmmaFenceOp own) {
        return pass(own.getValues(), own.getResults());
      })
      .Case([&](WgmmaWaitOp own) {
        return pass(own.getValues(), own.getResults());
      })
      .Case<CopyWaitOp, BarrierOp, FenceSharedOp, WgmmaCommitOp>(
          [](auto) { return success(); })
      .Default([](Operation *other) {
        return other->emitError() << "has no sequential meaning";
      });
}
