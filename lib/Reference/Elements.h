// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of files to and from reference values.

#ifndef K3_LIB_REFERENCE_ELEMENTS_H
#define K3_LIB_REFERENCE_ELEMENTS_H

#include "k3/Reference/Tensor.h"

#include <span>
#include <string_view>

namespace k3::reference {

/// Appends elements of a type in safetensors' spelling. False when the type is
/// unknown, or float where `out` is integer or the reverse.
bool appendElements(std::span<const uint8_t> bytes, std::string_view dtype,
                    Tensor &out);

} // namespace k3::reference

#endif // K3_LIB_REFERENCE_ELEMENTS_H
