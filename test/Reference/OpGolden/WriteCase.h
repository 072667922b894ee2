// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case as files.

#ifndef K3_TEST_REFERENCE_OPGOLDEN_WRITECASE_H
#define K3_TEST_REFERENCE_OPGOLDEN_WRITECASE_H

#include "OpCase.h"

namespace k3::golden {

/// Writes NAME.mlir, NAME.in.safetensors (arguments by name, floats as F32,
/// I8 as U8) and NAME.out.safetensors (what is known of the results by name;
/// one index of the leading dimension is "NAME@INDEX"), and
/// NAME.weights.safetensors for modules with weights. A slash in the case's
/// name becomes a dot.
Status writeCase(const OpCase &made, const std::string &folder);

} // namespace k3::golden

#endif // K3_TEST_REFERENCE_OPGOLDEN_WRITECASE_H
