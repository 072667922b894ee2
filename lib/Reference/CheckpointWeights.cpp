// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights as their declarations say: converted, reshaped, cut or stacked.

#include "Elements.h"
#include "k3/Reference/Weights.h"
#include "runtime/base/Escape.h"

using namespace mlir;
using namespace k3;
using namespace k3::reference;

static int64_t elementsOf(Type type) {
  return cast<RankedTensorType>(type).getNumElements();
}

/// "w {} v" for 3 is "w 3 v".
static std::string numberedSource(StringRef source, int64_t number) {
  auto [before, after] = source.split("{}");
  return (before + Twine(number) + after).str();
}

k3::Status CheckpointWeights::append(WeightOp weight, const std::string &source,
                                     Tensor &out) const {
  Checkpoint::Entry entry = checkpoint.find(source);
  if (!entry)
    return k3::Status::error(Code::BadInput, 803,
                             escaped(checkpoint.path()) + ": tensor " +
                                 quote(source) + " is missing");
  auto stored = cast<RankedTensorType>(weight.getStored());
  if (stored.getShape() != ArrayRef(entry.tensor->shape))
    return k3::Status::error(Code::BadInput, 804,
                             escaped(checkpoint.path()) + ": tensor " +
                                 quote(source) + ": wrong shape (wanted " +
                                 shapeText(stored.getShape()) + ", got " +
                                 shapeText(entry.tensor->shape) + ")");
  std::vector<uint8_t> bytes(entry.tensor->bytes());
  K3_TRY(entry.read(0, bytes));
  size_t before = out.isInteger ? out.integers.size() : out.reals.size();
  if (!appendElements(bytes, entry.tensor->dtype, out))
    return k3::Status::error(Code::BadInput, 804,
                             escaped(checkpoint.path()) + ": tensor " +
                                 quote(source) + ": element type " +
                                 std::string(entry.tensor->dtype) +
                                 " is not what the model declares");
  if (weight.getPrefix()) {
    size_t wanted = before + elementsOf(weight.getType());
    if (out.isInteger)
      out.integers.resize(wanted);
    else
      out.reals.resize(wanted);
  }
  return {};
}

k3::Status CheckpointWeights::convert(WeightOp weight, Tensor &out) const {
  auto type = cast<RankedTensorType>(weight.getType());
  out.shape.assign(type.getShape().begin(), type.getShape().end());
  out.isInteger = type.getElementType().isInteger();
  StringRef source = weight.getSource();
  if (!weight.getStack())
    return append(weight, source.str(), out);
  for (int64_t number = 0; number < int64_t(*weight.getStack()); ++number)
    K3_TRY(append(weight, numberedSource(source, number), out));
  return {};
}

k3::Status CheckpointWeights::load(WeightOp weight, TensorPtr &out) {
  TensorPtr &kept = converted[weight.getSymName()];
  if (!kept) {
    Tensor tensor;
    K3_TRY(convert(weight, tensor));
    kept = share(std::move(tensor));
  }
  out = kept;
  return {};
}
