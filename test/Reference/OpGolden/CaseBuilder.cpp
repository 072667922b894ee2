// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, argument by argument.

#include "CaseBuilder.h"

using namespace mlir;
using namespace k3;
using namespace k3::golden;

CaseBuilder::CaseBuilder(MLIRContext &context, bool bf16, std::string name)
    : opBuilder(&context) {
  activation = bf16 ? Type(opBuilder.getBF16Type()) : opBuilder.getF32Type();
  made.name = std::move(name);
  made.module = ModuleOp::create(loc());
  opBuilder.setInsertionPointToEnd(made.module->getBody());
  function = func::FuncOp::create(opBuilder, loc(), "main",
                                  opBuilder.getFunctionType({}, {}));
  opBuilder.setInsertionPointToEnd(&function.getBody().emplaceBlock());
}

Value CaseBuilder::argument(StringRef name, Tensor value, Type type) {
  inputNames.push_back(name.str());
  made.inputs[name.str()] = reference::share(std::move(value));
  return function.getBody().front().addArgument(type, loc());
}

Type CaseBuilder::withDynamicRows(const Tensor &value, Type element) {
  reference::Shape shape = value.shape;
  if (!shape.empty())
    shape.front() = ShapedType::kDynamic;
  return RankedTensorType::get(shape, element);
}

Value CaseBuilder::rows(StringRef name, Tensor value) {
  Type type = withDynamicRows(value, activation);
  return argument(name, std::move(value), type);
}

Value CaseBuilder::fp32(StringRef name, Tensor value) {
  Type type = withDynamicRows(value, opBuilder.getF32Type());
  return argument(name, std::move(value), type);
}

Value CaseBuilder::integers(StringRef name, std::vector<int32_t> values) {
  int64_t count = values.size();
  return indices(name, Tensor::ofIntegers({count}, std::move(values)));
}

Value CaseBuilder::indices(StringRef name, Tensor value) {
  Type type = withDynamicRows(value, opBuilder.getI32Type());
  return argument(name, std::move(value), type);
}

Value CaseBuilder::fixed(StringRef name, Tensor value) {
  Type element =
      value.isInteger ? Type(opBuilder.getI8Type()) : opBuilder.getF32Type();
  Type type = RankedTensorType::get(value.shape, element);
  return argument(name, std::move(value), type);
}

Value CaseBuilder::weight(StringRef name, Tensor value) {
  Type element =
      value.isInteger ? Type(opBuilder.getI8Type()) : opBuilder.getF32Type();
  auto type = RankedTensorType::get(value.shape, element);
  OpBuilder::InsertionGuard guard(opBuilder);
  opBuilder.setInsertionPoint(function);
  auto declared = WeightOp::create(
      opBuilder, loc(), opBuilder.getStringAttr(name), TypeAttr::get(type),
      opBuilder.getStringAttr(name), TypeAttr::get(type), UnitAttr(),
      IntegerAttr(), PackingAttr());
  opBuilder.setInsertionPointToEnd(&function.getBody().front());
  made.weights[name.str()] = reference::share(std::move(value));
  return GetWeightOp::create(opBuilder, loc(), type,
                             FlatSymbolRefAttr::get(declared.getSymNameAttr()));
}

static RankedTensorType dynamicRows(ArrayRef<int64_t> rowShape, Type element) {
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, rowShape);
  return RankedTensorType::get(shape, element);
}

RankedTensorType CaseBuilder::rowsType(ArrayRef<int64_t> rowShape) const {
  return dynamicRows(rowShape, activation);
}

RankedTensorType CaseBuilder::fp32Type(ArrayRef<int64_t> rowShape) const {
  return dynamicRows(rowShape, Float32Type::get(activation.getContext()));
}

void CaseBuilder::sequences(std::vector<int32_t> bounds,
                            std::vector<int32_t> ofSlots,
                            std::vector<int32_t> lengths) {
  // Names without a role in the runtime: the caller supplies all three.
  cuSeqlens = integers("bounds", std::move(bounds));
  slots = integers("places", std::move(ofSlots));
  contextLens = integers("lengths", std::move(lengths));
}

void CaseBuilder::sequences(int64_t count, int64_t tokens,
                            int32_t contextLength) {
  std::vector<int32_t> bounds = {0}, places, lengths;
  for (int64_t n = 0; n < count; ++n) {
    bounds.push_back(int32_t((n + 1) * tokens));
    places.push_back(int32_t(n));
    lengths.push_back(contextLength);
  }
  sequences(bounds, places, lengths);
}

void CaseBuilder::result(StringRef name, Value value) {
  resultNames.push_back(name.str());
  results.push_back(value);
}

void CaseBuilder::result(StringRef name, Value value, Tensor expected,
                         int64_t row) {
  result(name, value);
  made.outputs[name.str()] = {reference::share(std::move(expected)), row};
}

OpCase CaseBuilder::finish(double f32Tolerance, double bf16Tolerance) {
  func::ReturnOp::create(opBuilder, loc(), results);
  function.setType(
      opBuilder.getFunctionType(function.getBody().front().getArgumentTypes(),
                                ValueRange(results).getTypes()));
  for (auto [index, name] : llvm::enumerate(inputNames))
    function.setArgAttr(index, "k3.name", opBuilder.getStringAttr(name));
  for (auto [index, name] : llvm::enumerate(resultNames))
    function.setResultAttr(index, "k3.name", opBuilder.getStringAttr(name));
  made.f32Tolerance = f32Tolerance;
  made.bf16Tolerance = bf16Tolerance;
  return std::move(made);
}
