// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is left behind when the fault is ours: the input and the command.

#ifndef K3_TOOLS_K3_COMPILE_REPRODUCER_H
#define K3_TOOLS_K3_COMPILE_REPRODUCER_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace k3 {

/// Writes the input to a new file in the folder for temporary files, headed by
/// a comment with the command that replays it, which ends in `flags`. The
/// path; empty if that failed.
std::string writeReproducer(llvm::StringRef input, llvm::StringRef flags);

/// Ends the process with a coded message, instead of a stack dump, when LLVM
/// gives up or memory runs out. Elsewhere crashes come back from
/// llvm::CrashRecoveryContext.
void catchFatalErrors();

} // namespace k3

#endif // K3_TOOLS_K3_COMPILE_REPRODUCER_H
