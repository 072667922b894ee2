// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and types of reference values.

#include "k3/Reference/Tensor.h"

#include <cassert>

using namespace k3::reference;

static int64_t product(llvm::ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

int64_t Tensor::count() const { return product(shape); }

int64_t Tensor::rowSize() const {
  return shape.empty() ? 1 : product(llvm::ArrayRef(shape).drop_front());
}

Tensor Tensor::ofReals(llvm::ArrayRef<int64_t> shape) {
  return ofReals(shape, std::vector<double>(product(shape)));
}

Tensor Tensor::ofIntegers(llvm::ArrayRef<int64_t> shape) {
  return ofIntegers(shape, std::vector<int32_t>(product(shape)));
}

Tensor Tensor::ofReals(llvm::ArrayRef<int64_t> shape,
                       std::vector<double> values) {
  assert(int64_t(values.size()) == product(shape));
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.reals = std::move(values);
  return tensor;
}

Tensor Tensor::ofIntegers(llvm::ArrayRef<int64_t> shape,
                          std::vector<int32_t> values) {
  assert(int64_t(values.size()) == product(shape));
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.isInteger = true;
  tensor.integers = std::move(values);
  return tensor;
}

bool Tensor::fits(mlir::RankedTensorType type) const {
  if (type.getRank() != int64_t(shape.size()) ||
      type.getElementType().isInteger() != isInteger)
    return false;
  for (auto [want, have] : llvm::zip_equal(type.getShape(), shape))
    if (!mlir::ShapedType::isDynamic(want) && want != have)
      return false;
  return true;
}
