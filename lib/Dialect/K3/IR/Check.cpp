// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape checks that the verifiers of all families share.

#include "Check.h"

#include "llvm/ADT/SmallString.h"

using namespace mlir;

namespace k3 {

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(shape, stream, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      stream << '?';
    else
      stream << size;
  });
  stream << ']';
  return text;
}

LogicalResult checkShape(Operation *op, StringRef name, Value value,
                         ArrayRef<int64_t> want) {
  if (tensorOf(value).getShape() == want)
    return success();
  return op->emitOpError("'") << name << "' must have shape " << shapeText(want)
                              << ", got " << value.getType();
}

LogicalResult checkSameShape(Operation *op, StringRef name, Value value,
                             Value other) {
  return checkShape(op, name, value, tensorOf(other).getShape());
}

LogicalResult checkSameType(Operation *op, StringRef name, Value value,
                            Value other) {
  if (value.getType() == other.getType())
    return success();
  return op->emitOpError("'") << name << "' must have type " << other.getType()
                              << ", got " << value.getType();
}

LogicalResult checkPositive(Operation *op, StringRef name,
                            const APFloat &value) {
  if (value.isFinite() && !value.isNegative() && !value.isZero())
    return success();
  SmallString<24> text;
  value.toString(text);
  return op->emitOpError() << name << " must be finite and positive, got "
                           << text;
}

/// Bounds every size that later arithmetic multiplies: a row of more than
/// 2^40 elements is refused here rather than wrapped there.
static LogicalResult checkRow(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return success();
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 0 || (size != 0 && elements > limit / size))
      return op->emitOpError("tensor ")
             << tensor << " exceeds the limit of 2^40 elements";
    elements *= size;
  }
  return success();
}

LogicalResult checkRowsStatic(Operation *op, Type cache) {
  auto check = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() == 0)
      return success();
    if (failed(checkRow(op, type)))
      return failure();
    for (int64_t size : tensor.getShape().drop_front(type == cache ? 2 : 1))
      if (ShapedType::isDynamic(size))
        return op->emitOpError(
                   "only the leading dimension may be dynamic, got ")
               << tensor;
    return success();
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

LogicalResult checkSequences(Operation *op, Value cuSeqlens, Value slots,
                             Value contextLens) {
  if (failed(checkSameType(op, "context_lens", contextLens, slots)))
    return failure();
  int64_t bounds = dimOf(cuSeqlens, 0);
  int64_t sequences = dimOf(slots, 0);
  if (ShapedType::isDynamic(bounds) != ShapedType::isDynamic(sequences) ||
      (!ShapedType::isDynamic(bounds) && bounds != sequences + 1))
    return op->emitOpError("'cu_seqlens' must have one entry more than "
                           "'slots', got ")
           << cuSeqlens.getType() << " and " << slots.getType();
  return success();
}

} // namespace k3
