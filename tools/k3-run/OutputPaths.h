// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files to write are checked before any work is done for them.

#ifndef K3_TOOLS_K3_RUN_OUTPUTPATHS_H
#define K3_TOOLS_K3_RUN_OUTPUTPATHS_H

#include "Options.h"

namespace k3::run {

/// `read` and `written` are files besides those of `options`. Every output can
/// be written, and none is an input: the artefact, a file of the checkpoint, a
/// saved state or a prompt. Only `--save-state` may name the file of
/// `--load-state`, which is read before.
Status checkOutputPaths(const Options &options, std::vector<std::string> read,
                        std::vector<std::string> written);

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_OUTPUTPATHS_H
