// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of k3-compile behind its flags.

#ifndef K3_TOOLS_K3_COMPILE_COMPILEJOB_H
#define K3_TOOLS_K3_COMPILE_COMPILEJOB_H

#include "k3/Pipeline/Pipeline.h"

namespace k3 {

/// The flags, as given.
struct JobFlags {
  std::string input, output, targets, precision, recurrence, stopAfter,
      dumpFolder;
  unsigned threads = 0; ///< 0: one a CPU
  bool remarks = false, quiet = false;
  bool crash = false; ///< for the test of reproducers
};

/// Checks what can be checked before anything is read: names, output folder.
Status checkFlags(const JobFlags &flags, CompileOptions &options);

/// The input's bytes; "-" is stdin.
Status readInput(const std::string &path, std::string &bytes);

/// Compiles `bytes` and writes the output.
Status runJob(const JobFlags &flags, CompileOptions &options,
              llvm::StringRef bytes);

} // namespace k3

#endif // K3_TOOLS_K3_COMPILE_COMPILEJOB_H
