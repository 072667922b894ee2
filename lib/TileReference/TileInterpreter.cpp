// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow, numbers and elementwise ops; the ops of k3t are in TileOps.cpp.

#include "TileMachine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <cmath>

using namespace mlir;
using namespace k3;

static RankedTensorType tileOf(Type type) {
  return dyn_cast<RankedTensorType>(type);
}

/// The value of an elementwise op for one element. Numbers that are unsigned
/// in an op are never negative in a program.
static FailureOr<HostValue> scalar(Operation *op, ArrayRef<HostValue> in) {
  HostValue out;
  auto integer = [&](int64_t value) {
    out.integer = value;
    return out;
  };
  auto real = [&](float value) {
    out.real = value;
    return out;
  };
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    int64_t a = in[0].integer, b = in[1].integer;
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return integer(a == b);
    case arith::CmpIPredicate::slt:
      return integer(a < b);
    case arith::CmpIPredicate::sge:
      return integer(a >= b);
    default:
      return failure();
    }
  }
  return TypeSwitch<Operation *, FailureOr<HostValue>>(op)
      .Case(
          [&](arith::AddIOp) { return integer(in[0].integer + in[1].integer); })
      .Case(
          [&](arith::SubIOp) { return integer(in[0].integer - in[1].integer); })
      .Case(
          [&](arith::MulIOp) { return integer(in[0].integer * in[1].integer); })
      .Case<arith::DivUIOp, arith::DivSIOp>(
          [&](auto) { return integer(in[0].integer / in[1].integer); })
      .Case([&](arith::RemUIOp) {
        return integer(in[0].integer % in[1].integer);
      })
      .Case(
          [&](arith::AndIOp) { return integer(in[0].integer & in[1].integer); })
      .Case([&](arith::MinUIOp) {
        return integer(std::min(in[0].integer, in[1].integer));
      })
      .Case([&](arith::ExtSIOp) { return integer(in[0].integer); })
      .Case([&](arith::TruncIOp) { return integer(int32_t(in[0].integer)); })
      .Case([&](math::CountLeadingZerosOp) {
        return integer(std::countl_zero(uint32_t(in[0].integer)));
      })
      .Case([&](arith::SelectOp) { return in[0].integer ? in[1] : in[2]; })
      .Case([&](arith::AddFOp) { return real(in[0].real + in[1].real); })
      .Case([&](arith::SubFOp) { return real(in[0].real - in[1].real); })
      .Case([&](arith::MulFOp) { return real(in[0].real * in[1].real); })
      .Case([&](arith::DivFOp) { return real(in[0].real / in[1].real); })
      .Case([&](arith::MaximumFOp) {
        return real(std::fmax(in[0].real, in[1].real));
      })
      .Case([&](arith::ExtFOp) { return real(in[0].real); })
      .Case([&](arith::TruncFOp) { return real(roundToBf16(in[0].real)); })
      .Case([&](math::Exp2Op) { return real(std::exp2(in[0].real)); })
      .Case([&](math::Log2Op) { return real(std::log2(in[0].real)); })
      .Case([&](math::RsqrtOp) { return real(1 / std::sqrt(in[0].real)); })
      .Case([&](math::TanhOp) { return real(std::tanh(in[0].real)); })
      .Case([&](math::AbsFOp) { return real(std::fabs(in[0].real)); })
      .Default([](Operation *) { return failure(); });
}

std::shared_ptr<HostTile> TileMachine::makeTile(Type type) {
  auto tile = std::make_shared<HostTile>();
  auto ranked = cast<RankedTensorType>(type);
  tile->shape.assign(ranked.getShape().begin(), ranked.getShape().end());
  if (isa<FloatType>(ranked.getElementType()))
    tile->floats.resize(tile->size());
  else
    tile->integers.resize(tile->size());
  return tile;
}

LogicalResult TileMachine::elementwise(Operation *op) {
  SmallVector<HostValue> in;
  for (Value operand : op->getOperands())
    in.push_back(values[operand]);
  auto noMeaning = [&] {
    return op->emitError() << "has no sequential meaning";
  };
  Type type = op->getResult(0).getType();
  if (!tileOf(type)) {
    FailureOr<HostValue> out = scalar(op, in);
    if (failed(out))
      return noMeaning();
    values[op->getResult(0)] = *out;
    return success();
  }
  auto tile = makeTile(type);
  SmallVector<HostValue> element(in.size());
  for (int64_t i = 0; i < tile->size(); ++i) {
    for (auto [own, whole] : llvm::zip(element, in)) {
      if (!whole.tile)
        own = whole;
      else if (whole.tile->floats.empty())
        own.integer = whole.tile->integers[i];
      else
        own.real = whole.tile->floats[i];
    }
    FailureOr<HostValue> out = scalar(op, element);
    if (failed(out))
      return noMeaning();
    if (tile->floats.empty())
      tile->integers[i] = out->integer;
    else
      tile->floats[i] = out->real;
  }
  values[op->getResult(0)].tile = tile;
  return success();
}

LogicalResult TileMachine::constant(arith::ConstantOp op) {
  HostValue &out = values[op.getResult()];
  if (auto number = dyn_cast<IntegerAttr>(op.getValue())) {
    out.integer = number.getValue().getSExtValue();
  } else if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
    out.real = number.getValueAsDouble();
  } else {
    auto splat = cast<SplatElementsAttr>(op.getValue());
    out.tile = makeTile(op.getType());
    if (out.tile->floats.empty())
      llvm::fill(out.tile->integers,
                 splat.getSplatValue<APInt>().getSExtValue());
    else
      llvm::fill(out.tile->floats,
                 float(splat.getSplatValue<APFloat>().convertToDouble()));
  }
  return success();
}

LogicalResult TileMachine::loop(scf::ForOp op) {
  int64_t count = values[op.getUpperBound()].integer,
          step = values[op.getStep()].integer;
  SmallVector<HostValue> carried;
  for (Value init : op.getInitArgs())
    carried.push_back(values[init]);
  for (int64_t i = values[op.getLowerBound()].integer; i < count; i += step) {
    values[op.getInductionVar()].integer = i;
    for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), carried))
      values[argument] = value;
    if (failed(block(*op.getBody())))
      return failure();
    for (auto [value, yielded] :
         llvm::zip(carried, op.getBody()->getTerminator()->getOperands()))
      value = values[yielded];
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    values[result] = value;
  return success();
}

LogicalResult TileMachine::nested(Operation *op, Block &body) {
  if (failed(block(body)))
    return failure();
  for (auto [result, value] :
       llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
    values[result] = values[value];
  return success();
}

LogicalResult TileMachine::branch(scf::IfOp op) {
  if (values[op.getCondition()].integer)
    return nested(op, *op.thenBlock());
  return op.elseBlock() ? nested(op, *op.elseBlock()) : success();
}

LogicalResult TileMachine::block(Block &body) {
  for (Operation &op : body.without_terminator())
    if (failed(operation(&op)))
      return failure();
  return success();
}

LogicalResult TileMachine::operation(Operation *op) {
  if (op->getDialect() == tileDialect)
    return tileOperation(op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constantOp) { return constant(constantOp); })
      .Case([&](scf::ForOp loopOp) { return loop(loopOp); })
      .Case([&](scf::IfOp branchOp) { return branch(branchOp); })
      .Default([&](Operation *other) { return elementwise(other); });
}

LogicalResult TileMachine::run(func::FuncOp kernel,
                               ArrayRef<TileArgument> arguments,
                               int64_t number) {
  if (kernel.getNumArguments() != arguments.size())
    return kernel.emitError() << "takes " << kernel.getNumArguments()
                              << " arguments, got " << arguments.size();
  workgroup = number;
  tileDialect = kernel.getContext()->getLoadedDialect<tile::K3TDialect>();
  for (auto [value, argument] : llvm::zip(kernel.getArguments(), arguments)) {
    values[value].memory = argument;
    values[value].integer = argument.number;
  }
  return block(kernel.getBody().front());
}

LogicalResult k3::interpretTiles(func::FuncOp kernel,
                                 ArrayRef<TileArgument> arguments,
                                 int64_t workgroup) {
  return TileMachine().run(kernel, arguments, workgroup);
}
