// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of k3-run.

#include "Options.h"

namespace k3::run {

void declareFlags(tools::Flags &flags, Options &o) {
  flags.positional("ARTEFACT", &o.artefact);
  flags.text("--weights", &o.weights, "checkpoint folder");
  flags.text("--entry", &o.entry, "entry point to run once");
  flags.list("--in", &o.inputs,
             "NAME=FILE:TENSOR of a safetensors file, or NAME=@1,2,3");
  flags.list("--out", &o.outputs, "NAME=FILE:TENSOR, or NAME=- as text");
  flags.text("--prompt", &o.prompt, "text to go on from; - reads stdin");
  flags.text("--prompt-file", &o.promptFile, "file of such text");
  flags.toggle("--chat", &o.chat, "the prompt is a user's message");
  flags.toggle("--no-thinking", &o.noThinking,
               "with --chat: answer without thoughts");
  flags.integer("--max-new-tokens", 0, 1 << 30, &o.newTokens,
                "most tokens to generate (128)");
  flags.number("--temperature", 0, 100, &o.temperature,
               "0: the likeliest token (0)");
  flags.number("--top-p", 0, 1, &o.topP, "of the probability (1)");
  flags.integer("--top-k", 0, 1 << 30, &o.topK, "tokens; 0: all (0)");
  flags.integer("--seed", 0, INT64_MAX, &o.seed, "of the sampler (0)");
  flags.integer("--threads", 0, 4096, &o.threads, "0: one a CPU (0)");
  flags.integer("--capacity", 1, int64_t(1) << 40, &o.capacity,
                "tokens a sequence can hold (as many as needed)");
  flags.text("--device", &o.device, "cpu, or cuda:0 and so on (cpu)");
  flags.text("--target", &o.target, "code object, e.g. x86-64-v3, sm_90a");
  flags.text("--load-state", &o.loadState, "go on from a saved sequence");
  flags.text("--save-state", &o.saveState, "save the sequence at the end");
  flags.toggle("--profile", &o.profile, "time of each kind of command");
  flags.text("--trace", &o.trace, "write a Chrome trace");
  flags.toggle("--allow-nonfinite", &o.allowNonfinite,
               "weights may hold NaN or Inf");
  flags.choice("--progress", {"auto", "plain", "none"}, &o.progress,
               "auto, plain or none (auto)");
  flags.toggle("--quiet", &o.quiet, "results only");
}

Status checkOptions(const Options &options) {
  auto usage = [](const char *text) {
    return Status::error(Code::BadUsage, 441, text, "--help lists the flags");
  };
  if (!options.prompt.empty() && !options.promptFile.empty())
    return usage("--prompt and --prompt-file do not go together");
  if (options.generates() && !options.entry.empty())
    return usage("--entry and --prompt do not go together");
  if (!options.generates() && options.entry.empty())
    return usage("give --prompt, --prompt-file or --entry");
  if (options.generates() &&
      !(options.inputs.empty() && options.outputs.empty()))
    return usage("--in and --out go with --entry");
  if (options.chat && !options.generates())
    return usage("--chat goes with --prompt");
  return {};
}

} // namespace k3::run
