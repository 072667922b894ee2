// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything in an artefact as one JSON value; the text form prints the same.

#ifndef K3_TOOLS_K3_OBJDUMP_DESCRIBE_H
#define K3_TOOLS_K3_OBJDUMP_DESCRIBE_H

#include "runtime/format/ArtefactReader.h"

#include <nlohmann/json.hpp>

namespace k3::objdump {

using Json = nlohmann::ordered_json;

/// Version, sections with their digests, manifest and metadata.
Json describeFile(const ArtefactView &view);
Json describeWeights(const artefact::Index &index);
Json describeStates(const artefact::Index &index);
Json describeKernels(const artefact::Index &index);
/// One entry point: arguments, workspace, commands.
Json describeEntry(const artefact::Index &index, unsigned number);

} // namespace k3::objdump

#endif // K3_TOOLS_K3_OBJDUMP_DESCRIBE_H
