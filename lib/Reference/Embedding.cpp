// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in, rows out.

#include "Frame.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

LogicalResult k3::reference::evaluate(EmbeddingOp op, Frame &frame) {
  const Tensor &ids = frame[op.getIds()], &table = frame[op.getTable()];
  Tensor out = Tensor::ofReals({ids.rows(), table.rowSize()});
  for (int64_t t = 0; t < ids.rows(); ++t) {
    int64_t id = ids.integers[t];
    if (id < 0 || id >= table.rows())
      return op.emitError("token id ")
             << id << " lies outside the table of " << table.rows();
    std::copy_n(table.row(id), table.rowSize(), out.row(t));
  }
  frame.set(op.getResult(), std::move(out));
  return success();
}

LogicalResult k3::reference::evaluate(LastTokenOp op, Frame &frame) {
  const Tensor &x = frame[op.getX()];
  ArrayRef<int32_t> bounds = frame[op.getCuSeqlens()].integers;
  if (bounds.empty())
    return op.emitError("cu_seqlens must start at 0");
  int64_t count = bounds.size() - 1;
  Tensor out = Tensor::ofReals({count, x.rowSize()});
  for (int64_t n = 0; n < count; ++n) {
    if (bounds[n] < 0 || bounds[n + 1] < bounds[n] || bounds[n + 1] > x.rows())
      return op.emitError("cu_seqlens does not cut ") << x.rows() << " tokens";
    if (bounds[n + 1] > bounds[n])
      std::copy_n(x.row(bounds[n + 1] - 1), x.rowSize(), out.row(n));
  }
  frame.set(op.getResult(), std::move(out));
  return success();
}
