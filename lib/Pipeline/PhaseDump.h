// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a phase as text, kept or written to a folder.

#ifndef K3_LIB_PIPELINE_PHASEDUMP_H
#define K3_LIB_PIPELINE_PHASEDUMP_H

#include "CompileKernels.h"

namespace k3 {

/// The kernels of all levels after `phase` ("lower", "llvm" or "object"),
/// separated by "// -----" lines.
std::string printKernels(llvm::ArrayRef<CompiledLevel> levels,
                         llvm::StringRef phase);

/// Writes FOLDER/NN.PHASE.EXTENSION; nothing when the folder is empty.
Status dumpPhase(const std::string &folder, llvm::StringRef phase,
                 llvm::StringRef extension, llvm::StringRef text);

/// Writes one file a kernel: LLVM IR, assembly and object.
Status dumpObjects(const std::string &folder,
                   llvm::ArrayRef<CompiledLevel> levels);

} // namespace k3

#endif // K3_LIB_PIPELINE_PHASEDUMP_H
