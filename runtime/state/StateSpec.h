// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model keeps for each sequence.

#ifndef K3_RUNTIME_STATE_STATESPEC_H
#define K3_RUNTIME_STATE_STATESPEC_H

#include "runtime/include/k3rt.h"

#include <cstdint>
#include <string>
#include <vector>

namespace k3 {

/// Bytes of one element.
inline int64_t elementBytes(k3_dtype dtype) {
  switch (dtype) {
  case K3_F64:
  case K3_I64:
    return 8;
  case K3_F32:
  case K3_I32:
    return 4;
  case K3_BF16:
  case K3_F16:
    return 2;
  case K3_U8:
    return 1;
  }
  return 0;
}

inline const char *dtypeName(k3_dtype dtype) {
  constexpr const char *names[] = {"F32", "BF16", "F16", "F64",
                                   "I32", "I64",  "U8"};
  return unsigned(dtype) < 7 ? names[dtype] : "unknown";
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
