// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a value of a k3t program is on the host.

#ifndef K3_LIB_TILEREFERENCE_TILEVALUE_H
#define K3_LIB_TILEREFERENCE_TILEVALUE_H

#include "k3/TileReference/TileInterpreter.h"

#include "llvm/ADT/SmallVector.h"

#include <cstring>
#include <memory>

namespace k3 {

/// A tile, row major: F32 and BF16 in `floats`, I32 and I1 in `integers`.
struct HostTile {
  llvm::SmallVector<int64_t, 3> shape;
  std::vector<float> floats;
  std::vector<int64_t> integers;

  int64_t size() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
  int64_t cols() const { return shape.back(); }
  int64_t rows() const { return size() / cols(); }
};

/// A buffer in shared memory, all of its stages.
struct HostBuffer {
  int64_t rows = 1, cols = 1;
  std::vector<float> elements;
};

/// A number, a tile, one stage of a buffer, or device memory.
struct HostValue {
  int64_t integer = 0;
  float real = 0;
  std::shared_ptr<HostTile> tile;
  std::shared_ptr<HostBuffer> buffer;
  int64_t stage = 0;
  TileArgument memory;
};

/// To BF16 and back, nearest even; NaN stays NaN.
inline float roundToBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return value;
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  std::memcpy(&value, &bits, 4);
  return value;
}

} // namespace k3

#endif // K3_LIB_TILEREFERENCE_TILEVALUE_H
