// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an artefact: text from a prompt, or an entry point on tensors.

#include "CommandTimes.h"
#include "Generate.h"
#include "OutputPaths.h"
#include "RunEntry.h"

#include "tools/support/StandardOutput.h"

#include <csignal>
#include <cstdio>

namespace {

volatile bool interrupted = false;
volatile std::sig_atomic_t lastSignal = 0;

/// The first signal stops at the next token, a second one at once.
void onSignal(int number) {
  if (interrupted) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  interrupted = true;
  lastSignal = number;
}

k3::run::Failure run(const k3::run::Options &options) {
  k3::run::ModelSession opened;
  k3::run::CommandTimes times;
  if (options.generates()) {
    K3_RUN_TRY(k3::run::checkOutputPaths(options, {}, {}));
    K3_RUN_TRY(opened.open(options));
    K3_RUN_TRY(k3::run::generate(opened, options, times, interrupted));
  } else {
    k3::run::EntryCall call(opened, options);
    K3_RUN_TRY(opened.open(options));
    K3_RUN_TRY(call.read());
    K3_RUN_TRY(opened.start(options, call.slots(), options.capacity));
    K3_RUN_TRY(times.start(opened.session, options));
    K3_RUN_TRY(call.run());
  }
  return times.finish(options);
}

} // namespace

int main(int argc, char **argv) {
  k3::run::Options options;
  k3::tools::Flags flags("k3-run ARTEFACT --weights=DIR --prompt=TEXT | "
                         "--entry=NAME --in=… --out=…");
  k3::run::declareFlags(flags, options);
  k3::Status parsed = flags.parse(argc, argv);
  if (parsed.ok() && !flags.wantsHelp && !flags.wantsVersion)
    parsed = k3::run::checkOptions(options);
  if (!parsed.ok())
    return k3::tools::report("k3-run", parsed);
  if (flags.wantsHelp || flags.wantsVersion) {
    if (flags.wantsVersion)
      std::printf("k3-run %s\n", k3rt_version());
    else
      std::fputs(flags.helpText().c_str(), stdout);
    return k3::tools::report("k3-run", k3::tools::flushOutput());
  }
  std::signal(SIGPIPE, SIG_DFL); // a parent may have ignored it
  std::signal(SIGINT, onSignal);
  std::signal(SIGTERM, onSignal);
  if (k3::run::Failure failed = run(options)) {
    std::fprintf(stderr, "k3-run: %s\n", failed.text.c_str());
    return int(failed.code);
  }
  return lastSignal ? 128 + lastSignal : 0;
}
