// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of the reference: doubles or integers, dense and row-major.

#ifndef K3_REFERENCE_TENSOR_H
#define K3_REFERENCE_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace k3::reference {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Float element types are held as doubles, I32 and I8 as integers. I8 holds
/// the bytes 0 to 255 of packed weights.
struct Tensor {
  Shape shape;
  bool isInteger = false;
  std::vector<double> reals;
  std::vector<int32_t> integers;

  /// Zeros.
  static Tensor ofReals(llvm::ArrayRef<int64_t> shape);
  static Tensor ofIntegers(llvm::ArrayRef<int64_t> shape);
  static Tensor ofReals(llvm::ArrayRef<int64_t> shape,
                        std::vector<double> values);
  static Tensor ofIntegers(llvm::ArrayRef<int64_t> shape,
                           std::vector<int32_t> values);

  int64_t rows() const { return shape.empty() ? 1 : shape.front(); }
  int64_t count() const;
  /// Elements of one index of the leading dimension.
  int64_t rowSize() const;
  const double *row(int64_t index) const {
    return reals.data() + index * rowSize();
  }
  double *row(int64_t index) { return reals.data() + index * rowSize(); }

  /// True when a value of `type` may look like this.
  bool fits(mlir::RankedTensorType type) const;
};

/// Values are shared and never changed once they have a name.
using TensorPtr = std::shared_ptr<const Tensor>;

inline TensorPtr share(Tensor tensor) {
  return std::make_shared<const Tensor>(std::move(tensor));
}

} // namespace k3::reference

#endif // K3_REFERENCE_TENSOR_H
