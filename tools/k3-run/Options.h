// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of k3-run.

#ifndef K3_TOOLS_K3_RUN_OPTIONS_H
#define K3_TOOLS_K3_RUN_OPTIONS_H

#include "tools/support/Flags.h"

namespace k3::run {

struct Options {
  std::string artefact, weights, entry, device, target, prompt, promptFile;
  std::string trace, saveState, loadState, progress = "auto";
  std::vector<std::string> inputs, outputs;
  int64_t newTokens = 128, topK = 0, seed = 0, threads = 0, capacity = 0;
  double temperature = 0, topP = 1;
  bool chat = false, noThinking = false, profile = false, quiet = false;
  bool allowNonfinite = false;

  /// Text is to be generated, rather than an entry point run once.
  bool generates() const { return !prompt.empty() || !promptFile.empty(); }
};

/// Fills `flags` with what writes to `options`.
void declareFlags(tools::Flags &flags, Options &options);

/// Flags that do not go together.
Status checkOptions(const Options &options);

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_OPTIONS_H
