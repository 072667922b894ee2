// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types and sizes in bytes.

#include "PlanTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace k3;

std::optional<plan::DType> k3::dtypeOf(Type element) {
  if (element.isF32())
    return plan::DType::F32;
  if (element.isBF16())
    return plan::DType::BF16;
  if (element.isF16())
    return plan::DType::F16;
  if (element.isF64())
    return plan::DType::F64;
  if (element.isInteger(32))
    return plan::DType::I32;
  if (element.isInteger(64))
    return plan::DType::I64;
  if (element.isInteger(8))
    return plan::DType::U8;
  return std::nullopt;
}

int64_t k3::elementBytes(plan::DType dtype) {
  switch (dtype) {
  case plan::DType::F64:
  case plan::DType::I64:
    return 8;
  case plan::DType::F32:
  case plan::DType::I32:
    return 4;
  case plan::DType::BF16:
  case plan::DType::F16:
    return 2;
  case plan::DType::U8:
    return 1;
  }
  return 0;
}

std::optional<int64_t> k3::checkedProduct(llvm::ArrayRef<int64_t> sizes) {
  constexpr int64_t limit = int64_t(1) << 62;
  int64_t product = 1;
  for (int64_t size : sizes) {
    int64_t next;
    if (size < 0 || llvm::MulOverflow(product, size, next) || next > limit)
      return std::nullopt;
    product = next;
  }
  return product;
}
