// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index of an artefact: structure, then meaning.

#ifndef K3_RUNTIME_FORMAT_INDEXCHECK_H
#define K3_RUNTIME_FORMAT_INDEXCHECK_H

#include "runtime/format/ArtefactReader.h"

namespace k3 {

/// Finds the index section, verifies it and sets `view.index`.
Status checkIndex(ArtefactView &view);

} // namespace k3

#endif // K3_RUNTIME_FORMAT_INDEXCHECK_H
