// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects of an index: those for GPUs say where their images are and how
// kernels are launched.

#ifndef K3_RUNTIME_FORMAT_GPUCODECHECK_H
#define K3_RUNTIME_FORMAT_GPUCODECHECK_H

#include "runtime/format/IndexText.h"

#include <span>

namespace k3 {

/// Checks the images and launches of `code`, whose bytes are `section`, and
/// that nothing of this is said of a CPU's code. The entry points of `index`
/// must have been checked. `what` names the code object.
Status checkGpuCode(IndexWork &work, const artefact::Index &index,
                    const artefact::CodeObject &code,
                    std::span<const uint8_t> section, const std::string &what);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_GPUCODECHECK_H
