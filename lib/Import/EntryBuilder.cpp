// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short forms of the ops that every layer uses.

#include "EntryBuilder.h"

using namespace mlir;
using namespace k3;

static ArrayRef<int64_t> rowShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().drop_front();
}

Location EntryBuilder::at(const std::string &name) const {
  return NameLoc::get(builder.getStringAttr(name));
}

RankedTensorType EntryBuilder::rows(ArrayRef<int64_t> sizes,
                                    Type element) const {
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, sizes);
  return RankedTensorType::get(shape, element);
}

Value EntryBuilder::weight(const std::string &symbol) {
  usedWeights.insert(symbol);
  return GetWeightOp::create(builder, at(symbol), weights.at(symbol), symbol);
}

Value EntryBuilder::state(const std::string &symbol) {
  RankedTensorType slot = states.at(symbol);
  return GetStateOp::create(builder, at(symbol),
                            rows(slot.getShape(), slot.getElementType()),
                            symbol);
}

void EntryBuilder::setState(const std::string &symbol, Value value) {
  SetStateOp::create(builder, at(symbol), symbol, value);
}

Value EntryBuilder::linear(Value x, const std::string &symbol, Type element) {
  Value w = weight(symbol);
  int64_t width = cast<RankedTensorType>(w.getType()).getDimSize(0);
  return LinearOp::create(builder, at(symbol),
                          rows(width, element ? element : activation), x, w,
                          PackingAttr());
}

Value EntryBuilder::norm(Value x, const std::string &symbol, double eps) {
  return RMSNormOp::create(builder, at(symbol), rows(rowShape(x)), x,
                           weight(symbol), builder.getF64FloatAttr(eps),
                           builder.getBoolAttr(true));
}

Value EntryBuilder::add(Value lhs, Value rhs, const std::string &name) {
  return AddOp::create(builder, at(name), lhs.getType(), lhs, rhs);
}

Value EntryBuilder::splitHeads(Value x, int64_t heads,
                               const std::string &name) {
  auto type = cast<RankedTensorType>(x.getType());
  return ReshapeOp::create(
      builder, at(name),
      rows({heads, type.getDimSize(1) / heads}, type.getElementType()), x);
}

Value EntryBuilder::joinHeads(Value x, const std::string &name) {
  auto type = cast<RankedTensorType>(x.getType());
  return ReshapeOp::create(
      builder, at(name),
      rows(type.getDimSize(1) * type.getDimSize(2), type.getElementType()), x);
}
