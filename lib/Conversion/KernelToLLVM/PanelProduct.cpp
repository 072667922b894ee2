// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner product of a block of rows with panels of a weight.

#include "PanelProduct.h"

#include "ExpertPanel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;

namespace k3 {

FailureOr<PanelProduct> PanelProduct::create(VectorMath &math, LinearOp op) {
  OpBuilder &b = math.b;
  RankedTensorType xType = tensorType(op.getX());
  RankedTensorType wType = tensorType(op.getWeight());
  int64_t outputs = wType.getDimSize(0), inputs = wType.getDimSize(1);
  int64_t panels = llvm::divideCeil(outputs, panelWidth);
  bool bf16Rows = xType.getElementType().isBF16();
  Form form = Form::Unpacked;
  MemRefType layout;
  switch (op.getPacking().value_or(Packing::None)) {
  case Packing::PairPanels:
    form = bf16Rows && inputs % 2 == 0 && math.frame.target().hasBf16Dot
               ? Form::Bf16Dot
               : Form::Pairs;
    layout = MemRefType::get(
        {panels, int64_t(llvm::divideCeil(inputs, 2)), 2 * panelWidth},
        b.getBF16Type());
    break;
  case Packing::Panels:
    form = Form::Single;
    layout = MemRefType::get({panels, inputs, panelWidth}, b.getF32Type());
    break;
  case Packing::None:
    break;
  case Packing::NibblePanels:
  case Packing::ScalePanels:
    return op.emitOpError("packing '")
           << stringifyPacking(*op.getPacking()) << "' is for experts only";
  }
  PanelProduct product(math, op, form);
  product.inputs = inputs;
  product.outputs = outputs;
  product.x = math.frame.bufferOf(op.getX());
  product.result = math.frame.bufferOf(op.getResult());
  product.weight = layout ? math.frame.bufferAs(op.getWeight(), layout)
                          : math.frame.bufferOf(op.getWeight());
  if (form == Form::Bf16Dot)
    product.xPairs = math.frame.bufferAs(
        op.getX(),
        MemRefType::get({xType.getDimSize(0), inputs / 2}, b.getI32Type()));
  return product;
}

/// The two bf16 of each 32-bit lane as fp32: the low half and the high half.
std::pair<Value, Value> widenPairs(VectorMath &math, Value pairs) {
  OpBuilder &b = math.b;
  Location loc = math.loc;
  VectorType ints = math.vectorType(panelWidth, b.getI32Type());
  VectorType floats = math.vectorType(panelWidth);
  Value bits = vector::BitCastOp::create(b, loc, ints, pairs);
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(ints, b.getI32IntegerAttr(value)));
  };
  Value low = arith::ShLIOp::create(b, loc, bits, constant(16));
  Value high =
      arith::AndIOp::create(b, loc, bits, constant(int32_t(0xffff0000u)));
  return {vector::BitCastOp::create(b, loc, floats, low),
          vector::BitCastOp::create(b, loc, floats, high)};
}

VectorMath::Values PanelProduct::step(Value k, Value row, int64_t rows,
                                      Value panel, int64_t panels,
                                      ValueRange sums) {
  OpBuilder &b = math.b;
  Location loc = math.loc;
  VectorMath::Values next(sums);
  bool pairs = form != Form::Single;
  SmallVector<Value> raw;
  for (int64_t p = 0; p < panels; ++p) {
    VectorType type = pairs ? math.vectorType(2 * panelWidth, b.getBF16Type())
                            : math.vectorType(panelWidth);
    raw.push_back(vector::LoadOp::create(
        b, loc, type, weight,
        ValueRange{math.add(panel, p), k, math.index(0)}));
  }
  SmallVector<std::pair<Value, Value>> wide;
  if (form == Form::Pairs)
    for (Value pair : raw)
      wide.push_back(widenPairs(math, pair));
  for (int64_t r = 0; r < rows; ++r) {
    Value t = math.add(row, r);
    if (form == Form::Bf16Dot) {
      Value pair = memref::LoadOp::create(b, loc, xPairs, ValueRange{t, k});
      Value both = vector::BitCastOp::create(
          b, loc, math.vectorType(2 * panelWidth, b.getBF16Type()),
          math.broadcast(pair, panelWidth));
      for (int64_t p = 0; p < panels; ++p)
        next[r * panels + p] = x86vector::DotBF16Op::create(
            b, loc, next[r * panels + p], both, raw[p]);
      continue;
    }
    if (form == Form::Single) {
      Value scalar = math.loadSplat(x, {t, k}, panelWidth);
      for (int64_t p = 0; p < panels; ++p)
        next[r * panels + p] = math.fma(scalar, raw[p], next[r * panels + p]);
      continue;
    }
    Value even = math.mul(k, 2);
    Value first = math.loadSplat(x, {t, even}, panelWidth);
    // An odd last input has a zero partner in the packed weight; reading the
    // same element again keeps the load inside the row.
    Value odd = math.add(even, 1);
    if (inputs % 2)
      odd = math.min(odd, math.index(inputs - 1));
    Value second = math.loadSplat(x, {t, odd}, panelWidth);
    for (int64_t p = 0; p < panels; ++p) {
      Value sum = math.fma(first, wide[p].first, next[r * panels + p]);
      next[r * panels + p] = math.fma(second, wide[p].second, sum);
    }
  }
  return next;
}

void PanelProduct::emit(Value row, int64_t rows, Value panel, int64_t panels) {
  if (form == Form::Unpacked)
    return emitUnpacked(row, rows, panel, panels);
  VectorMath::Values zeros(rows * panels, math.splat(0.0, panelWidth));
  int64_t steps = form == Form::Single ? inputs : llvm::divideCeil(inputs, 2);
  VectorMath::Values sums =
      math.loop(math.index(0), math.index(steps), 1, zeros,
                [&](Value k, ValueRange carried) {
                  return step(k, row, rows, panel, panels, carried);
                });
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t p = 0; p < panels; ++p)
      storePanel(math, sums[r * panels + p], result, {math.add(row, r)},
                 math.add(panel, p), outputs);
}

void PanelProduct::emitUnpacked(Value row, int64_t rows, Value panel,
                                int64_t panels) {
  Value firstColumn = math.mul(panel, panelWidth);
  Value endColumn =
      math.min(math.add(firstColumn, panels * panelWidth), math.index(outputs));
  int64_t whole = inputs / panelWidth * panelWidth;
  for (int64_t r = 0; r < rows; ++r) {
    Value t = math.add(row, r);
    math.loop(firstColumn, endColumn, 1, [&](Value n) {
      Value sum = math.splat(0.0, panelWidth);
      if (whole > 0)
        sum =
            math.loop(math.index(0), math.index(whole), panelWidth, {sum},
                      [&](Value k, ValueRange carried) -> VectorMath::Values {
                        return {math.fma(math.load(x, {t, k}, panelWidth),
                                         math.load(weight, {n, k}, panelWidth),
                                         carried[0])};
                      })
                .front();
      Value total = math.sumLanes(sum);
      if (whole < inputs)
        total =
            math.loop(math.index(whole), math.index(inputs), 1, {total},
                      [&](Value k, ValueRange carried) -> VectorMath::Values {
                        return {math.fma(math.loadScalar(x, {t, k}),
                                         math.loadScalar(weight, {n, k}),
                                         carried[0])};
                      })
                .front();
      math.storeScalar(total, result, {t, n});
    });
  }
}

} // namespace k3
