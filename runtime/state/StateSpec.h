// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model keeps for each sequence.

#ifndef K3_RUNTIME_STATE_STATESPEC_H
#define K3_RUNTIME_STATE_STATESPEC_H

#include "runtime/base/DType.h"
#include "runtime/include/k3rt.h"

#include <cstdint>
#include <string>
#include <vector>

namespace k3 {

/// Bytes of one element; 0 for a number that is no type.
inline int64_t elementBytes(k3_dtype dtype) {
  return unsigned(dtype) < numDTypes ? int64_t(bytesOf(DType(dtype))) : 0;
}

inline std::string dtypeName(k3_dtype dtype) {
  return unsigned(dtype) < numDTypes ? std::string(nameOf(DType(dtype)))
                                     : std::to_string(unsigned(dtype));
}

} // namespace k3

namespace k3::state {

/// Per-sequence memory. A leading dimension of -1 is the slot's capacity.
struct StateSpec {
  std::string name;
  k3_dtype dtype = K3_F32;
  std::vector<int64_t> shape;

  bool perToken() const { return !shape.empty() && shape[0] == -1; }
};

} // namespace k3::state

#endif // K3_RUNTIME_STATE_STATESPEC_H
