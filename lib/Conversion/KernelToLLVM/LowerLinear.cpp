// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k3.linear, one or several on the same rows: products of row blocks with
// panels of 16 output columns. Every output element is summed over the inputs
// in ascending order in one accumulator lane, whatever the number of rows, so
// results do not depend on how tokens are batched.

#include "Anchors.h"
#include "PanelProduct.h"

using namespace mlir;

namespace k3 {

namespace {
constexpr int64_t rowTile = 128;     // rows of one workgroup
constexpr int64_t panelsOfGroup = 4; // panels of one workgroup
} // namespace

static int64_t panelCount(LinearOp op) {
  return llvm::divideCeil(tensorType(op.getWeight()).getDimSize(0), panelWidth);
}

static int64_t columnBlocks(LinearOp op) {
  return llvm::divideCeil(panelCount(op), panelsOfGroup);
}

/// Rows [from, to) times the panels [panel, +count) of one weight.
static void emitPanels(VectorMath &math, PanelProduct &product, Value from,
                       Value to, Value panel, int64_t count) {
  const CpuTarget &target = math.frame.target();
  bool wide = target.vectorRegisters >= 32;
  int64_t rows = wide ? 8 : 2, group = 2;
  Value whole =
      math.add(from, math.mul(math.div(math.sub(to, from), rows), rows));
  int64_t done = 0;
  for (; done < count; done += group) {
    int64_t panels = std::min(group, count - done);
    Value first = math.add(panel, done);
    math.loop(from, whole, rows,
              [&](Value row) { product.emit(row, rows, first, panels); });
  }
  int64_t single = wide ? 4 : 2;
  for (done = 0; done < count; done += single) {
    int64_t panels = std::min(single, count - done);
    Value first = math.add(panel, done);
    math.loop(whole, to, 1,
              [&](Value row) { product.emit(row, 1, first, panels); });
  }
}

/// One linear's share of a workgroup: column block `block` of its own.
static LogicalResult emitLinear(VectorMath &math, LinearOp op, Value rowBlock,
                                Value block) {
  FailureOr<PanelProduct> product = PanelProduct::create(math, op);
  if (failed(product))
    return failure();
  Value tokens = math.frame.sizeOf(op.getX(), 0);
  Value from = math.mul(rowBlock, rowTile);
  Value to = math.min(math.add(from, rowTile), tokens);
  Value panel = math.mul(block, panelsOfGroup);
  int64_t panels = panelCount(op);
  int64_t whole = panels / panelsOfGroup;
  if (panels % panelsOfGroup == 0) {
    emitPanels(math, *product, from, to, panel, panelsOfGroup);
    return success();
  }
  auto tail = [&] {
    emitPanels(math, *product, from, to, panel, panels % panelsOfGroup);
  };
  if (whole == 0) {
    tail();
    return success();
  }
  Value isWhole =
      math.compare(arith::CmpIPredicate::ult, block, math.index(whole));
  math.when(
      isWhole,
      [&] { emitPanels(math, *product, from, to, panel, panelsOfGroup); },
      tail);
  return success();
}

FailureOr<KernelGrid> lowerLinear(KernelFrame &frame,
                                  ArrayRef<LinearOp> linears) {
  VectorMath math(frame);
  int64_t blocks = 0;
  for (LinearOp op : linears)
    blocks += columnBlocks(op);
  Value rowBlock = math.div(frame.workgroup(), blocks);
  Value column = math.rem(frame.workgroup(), blocks);
  int64_t first = 0;
  LogicalResult status = success();
  for (LinearOp op : linears) {
    int64_t last = first + columnBlocks(op);
    Value block = math.sub(column, math.index(first));
    Value mine = math.compare(arith::CmpIPredicate::ult, block,
                              math.index(last - first));
    math.when(mine, [&] {
      if (failed(emitLinear(math, op, rowBlock, block)))
        status = failure();
    });
    first = last;
  }
  if (failed(status))
    return failure();
  LinearOp lead = linears.front();
  return KernelGrid{lead.getX(), 0, rowTile, blocks};
}

} // namespace k3
