// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory layouts of weights: see Packing in Artefact.fbs.

#ifndef K3_RUNTIME_WEIGHTS_PACKING_H
#define K3_RUNTIME_WEIGHTS_PACKING_H

#include "runtime/base/DType.h"
#include "runtime/format/Artefact_generated.h"

namespace k3 {

/// Bytes of one packed panel of 16 rows with `inputs` elements.
uint64_t panelBytes(artefact::Packing packing, int64_t inputs);

/// Packs rows of a matrix as one panel. `rows`, at most 16, is how many there
/// are; the rest of the panel becomes zero. `in` is row major, has elements of
/// the packed type and needs no alignment.
void packPanel(artefact::Packing packing, const uint8_t *in, int64_t rows,
               int64_t inputs, uint8_t *out);

} // namespace k3

#endif // K3_RUNTIME_WEIGHTS_PACKING_H
