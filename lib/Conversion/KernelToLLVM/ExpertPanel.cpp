// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of one row with one panel of an expert's weight.

#include "ExpertPanel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace k3 {

namespace {
constexpr int64_t scaleGroup = 32; // inputs that share an E8M0 scale
} // namespace

FailureOr<ExpertPanel> ExpertPanel::create(VectorMath &math, Operation *op,
                                           Value weight, Value scales,
                                           Packing packing) {
  OpBuilder &b = math.b;
  RankedTensorType type = tensorType(weight);
  int64_t experts = type.getDimSize(0), columns = type.getDimSize(2);
  int64_t panels = llvm::divideCeil(type.getDimSize(1), panelWidth);
  ExpertPanel result(math);
  result.packing = packing;
  result.inputs = scales ? columns * 2 : columns;
  auto view = [&](Value value, ArrayRef<int64_t> shape, Type element) {
    return math.frame.bufferAs(value, MemRefType::get(shape, element));
  };
  switch (packing) {
  case Packing::PairPanels:
    result.weight =
        view(weight,
             {experts, panels, int64_t(llvm::divideCeil(columns, 2)),
              2 * panelWidth},
             b.getBF16Type());
    return result;
  case Packing::Panels:
    result.weight =
        view(weight, {experts, panels, columns, panelWidth}, b.getF32Type());
    return result;
  case Packing::NibblePanels:
    result.weight =
        view(weight, {experts, panels, columns, panelWidth}, b.getI8Type());
    result.scales =
        view(scales, {experts, panels, result.inputs / scaleGroup, panelWidth},
             b.getI8Type());
    return result;
  case Packing::None:
  case Packing::ScalePanels:
    break;
  }
  return op->emitOpError("expert weights must be packed before they are "
                         "lowered; run --k3-pack-weights");
}

Value ExpertPanel::product(Value row, ArrayRef<Value> at, Value expert,
                           Value panel) {
  if (packing == Packing::PairPanels)
    return pairs(row, at, expert, panel);
  if (packing == Packing::Panels)
    return singles(row, at, expert, panel);
  return nibbles(row, at, expert, panel);
}

static Value rowElement(VectorMath &math, Value row, ArrayRef<Value> at,
                        Value k) {
  SmallVector<Value> indices(at);
  indices.push_back(k);
  return math.loadSplat(row, indices, panelWidth);
}

Value ExpertPanel::pairs(Value row, ArrayRef<Value> at, Value expert,
                         Value panel) {
  OpBuilder &b = math.b;
  VectorType type = math.vectorType(2 * panelWidth, b.getBF16Type());
  Value zero = math.index(0);
  // Two sums hide the latency of the multiply-add; their order is fixed.
  VectorMath::Values sums = math.loop(
      zero, math.index(llvm::divideCeil(inputs, 2)), 1,
      VectorMath::Values(2, math.splat(0.0, panelWidth)),
      [&](Value k, ValueRange sum) -> VectorMath::Values {
        Value raw = vector::LoadOp::create(b, math.loc, type, weight,
                                           ValueRange{expert, panel, k, zero});
        auto [low, high] = widenPairs(math, raw);
        Value even = math.mul(k, 2);
        Value odd = math.add(even, 1);
        if (inputs % 2)
          odd = math.min(odd, math.index(inputs - 1));
        return {math.fma(rowElement(math, row, at, even), low, sum[0]),
                math.fma(rowElement(math, row, at, odd), high, sum[1])};
      });
  return math.addF(sums[0], sums[1]);
}

Value ExpertPanel::singles(Value row, ArrayRef<Value> at, Value expert,
                           Value panel) {
  Value zero = math.index(0);
  return math
      .loop(zero, math.index(inputs), 1, {math.splat(0.0, panelWidth)},
            [&](Value k, ValueRange sum) -> VectorMath::Values {
              Value w = math.load(weight, {expert, panel, k, zero}, panelWidth);
              return {math.fma(rowElement(math, row, at, k), w, sum[0])};
            })
      .front();
}

/// Twice the E2M1 values of 16 four-bit codes, by a byte shuffle of their
/// table; twice makes every magnitude an integer.
Value ExpertPanel::widenNibbles(Value codes) {
  OpBuilder &b = math.b;
  VectorType bytes = math.vectorType(panelWidth, b.getI8Type());
  const int8_t twice[16] = {0,  1,  2,  3,  4,  6,  8,  12,
                            -0, -1, -2, -3, -4, -6, -8, -12};
  Value table = arith::ConstantOp::create(
      b, math.loc, DenseElementsAttr::get(bytes, ArrayRef<int8_t>(twice)));
  auto shuffled = LLVM::CallIntrinsicOp::create(
      b, math.loc, bytes, b.getStringAttr("llvm.x86.ssse3.pshuf.b.128"),
      ValueRange{table, codes});
  Value wide = arith::ExtSIOp::create(
      b, math.loc, math.vectorType(panelWidth, b.getI32Type()),
      shuffled.getResults());
  return arith::SIToFPOp::create(b, math.loc, math.vectorType(panelWidth),
                                 wide);
}

/// Half of 2^(s - 127), to undo the doubling above. Code 1 and 0 are below the
/// normal numbers after halving, so the exponent is built unhalved and the
/// factor 0.5 is multiplied in.
Value ExpertPanel::widenScales(Value bytes) {
  OpBuilder &b = math.b;
  Location loc = math.loc;
  VectorType ints = math.vectorType(panelWidth, b.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(ints, b.getI32IntegerAttr(value)));
  };
  Value wide = arith::ExtUIOp::create(b, loc, ints, bytes);
  Value bits = arith::ShLIOp::create(b, loc, wide, constant(23));
  Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, wide,
                                       constant(0));
  // 2^-127 is subnormal: its exponent field is 0 and its top fraction bit 1.
  bits = arith::SelectOp::create(b, loc, isZero, constant(0x00400000), bits);
  return vector::BitCastOp::create(b, loc, math.vectorType(panelWidth), bits);
}

Value ExpertPanel::nibbles(Value row, ArrayRef<Value> at, Value expert,
                           Value panel) {
  OpBuilder &b = math.b;
  Location loc = math.loc;
  VectorType bytes = math.vectorType(panelWidth, b.getI8Type());
  Value zero = math.index(0);
  auto constant = [&](int8_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(bytes, b.getI8IntegerAttr(value)));
  };
  auto group = [&](Value g, ValueRange total) -> VectorMath::Values {
    Value firstByte = math.mul(g, scaleGroup / 2);
    VectorMath::Values sums = math.loop(
        zero, math.index(scaleGroup / 2), 1,
        VectorMath::Values(2, math.splat(0.0, panelWidth)),
        [&](Value i, ValueRange sum) -> VectorMath::Values {
          Value k = math.add(firstByte, i);
          Value raw = vector::LoadOp::create(
              b, loc, bytes, weight, ValueRange{expert, panel, k, zero});
          Value low = arith::AndIOp::create(b, loc, raw, constant(0x0f));
          Value high = arith::ShRUIOp::create(b, loc, raw, constant(4));
          Value even = math.mul(k, 2);
          return {math.fma(rowElement(math, row, at, even), widenNibbles(low),
                           sum[0]),
                  math.fma(rowElement(math, row, at, math.add(even, 1)),
                           widenNibbles(high), sum[1])};
        });
    Value raw = vector::LoadOp::create(b, loc, bytes, scales,
                                       ValueRange{expert, panel, g, zero});
    Value half =
        math.mulF(math.addF(sums[0], sums[1]), math.splat(0.5, panelWidth));
    return {math.fma(half, widenScales(raw), total[0])};
  };
  return math
      .loop(zero, math.index(inputs / scaleGroup), 1,
            {math.splat(0.0, panelWidth)}, group)
      .front();
}

void storePanel(VectorMath &math, Value vector, Value memref,
                ArrayRef<Value> at, Value panel, int64_t outputs) {
  SmallVector<Value> indices(at);
  indices.push_back(math.mul(panel, panelWidth));
  int64_t tail = outputs % panelWidth;
  auto storeAll = [&] { math.store(vector, memref, indices); };
  if (tail == 0)
    return storeAll();
  auto storeTail = [&] {
    math.store(math.firstLanes(vector, tail), memref, indices);
  };
  if (outputs < panelWidth)
    return storeTail();
  Value whole = math.compare(arith::CmpIPredicate::ult, panel,
                             math.index(outputs / panelWidth));
  math.when(whole, storeAll, storeTail);
}

} // namespace k3
