// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small artefact of which tests change one thing.

#ifndef K3_TEST_RUNTIME_FORMAT_SMALLARTEFACT_H
#define K3_TEST_RUNTIME_FORMAT_SMALLARTEFACT_H

#include "runtime/base/Status.h"
#include "runtime/format/Artefact_generated.h"

#include <string>

namespace k3::test {

/// One of everything: weights, a state, a kernel, an entry with a launch, a
/// copy and a fill, a code object.
artefact::IndexT smallIndex();
/// The same, and a code object for a GPU.
artefact::IndexT gpuIndex();

/// The FlatBuffer of an index.
std::string bytesOf(const artefact::IndexT &index);

/// A whole artefact: the index and a section 'x86-64-v3' with some bytes.
std::string smallArtefact(const artefact::IndexT &index = smallIndex());
/// The same around any bytes as index.
std::string artefactAround(const std::string &index);

/// The bytes of a section 'sm_90a': a cubin and PTX.
std::string gpuSection();
/// A whole artefact with that section too.
std::string gpuArtefact(const artefact::IndexT &index = gpuIndex());
std::string gpuArtefactAround(const std::string &index,
                              const std::string &gpu = gpuSection());

/// Reads a copy that is aligned as a file in memory is.
Status read(const std::string &bytes);

/// Makes the header's digest right again after a change.
void fixHeaderDigest(std::string &artefact);

} // namespace k3::test

#endif // K3_TEST_RUNTIME_FORMAT_SMALLARTEFACT_H
