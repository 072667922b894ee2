// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many bytes a weight has in memory, by its packing.

#ifndef K3_RUNTIME_FORMAT_PACKEDSIZE_H
#define K3_RUNTIME_FORMAT_PACKEDSIZE_H

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/format/Artefact_generated.h"

#include <optional>
#include <vector>

namespace k3 {

/// Rows of a panel, in every packed layout.
constexpr int64_t panelRows = 16;

/// Bytes of a weight of this logical shape, with the padding of its packing;
/// nothing when the packing does not fit the type, or the size not 2^63.
inline std::optional<uint64_t> packedBytes(std::vector<int64_t> shape,
                                           DType dtype,
                                           artefact::Packing packing) {
  using artefact::Packing;
  if (packing != Packing::None) {
    DType wanted = packing == Packing::PairPanels ? DType::BF16
                   : packing == Packing::Panels   ? DType::F32
                                                  : DType::U8;
    if (dtype != wanted || shape.size() < 2)
      return std::nullopt;
    int64_t &rows = shape[shape.size() - 2], &inputs = shape.back();
    if (rows < 0 || rows > INT64_MAX - panelRows || inputs == INT64_MAX)
      return std::nullopt;
    rows = (rows + panelRows - 1) / panelRows * panelRows;
    if (packing == Packing::PairPanels)
      inputs += inputs % 2;
  }
  int64_t count = 0;
  if (!elementCount(shape, count) ||
      !checkedMul(count, int64_t(bytesOf(dtype)), count))
    return std::nullopt;
  return uint64_t(count);
}

} // namespace k3

#endif // K3_RUNTIME_FORMAT_PACKEDSIZE_H
