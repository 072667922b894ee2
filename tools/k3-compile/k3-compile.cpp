// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A k3 module in, an artefact out; or the IR after any phase.

#include "CompileJob.h"
#include "Reproducer.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <unistd.h>

using namespace k3;
namespace cl = llvm::cl;

static cl::OptionCategory category("k3-compile options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<model.mlir>"),
                                  cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Output file, - for stdout"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    targets("target", cl::desc("Comma-separated CPU levels (default: all)"),
            cl::value_desc("names"), cl::init("x86-64"), cl::cat(category));
static cl::opt<std::string>
    precision("precision",
              cl::desc("f32 or bf16 activations (default: as imported)"),
              cl::value_desc("type"), cl::cat(category));
static cl::opt<std::string>
    recurrence("recurrence",
               cl::desc("recurrent (the same bits for every cut of a prompt) "
                        "or chunked (faster prompts)"),
               cl::value_desc("form"), cl::init("recurrent"),
               cl::cat(category));
static cl::opt<std::string>
    compileTo("compile-to", cl::desc("Stop after a phase and print its result"),
              cl::value_desc("phase"), cl::cat(category));
static cl::opt<std::string>
    dumpFolder("dump-phases-to",
               cl::desc("Write the result of every phase into a folder"),
               cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> remarks("remarks", cl::desc("Say what was decided"),
                             cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("No progress bar, no warnings"),
                           cl::cat(category));
static cl::opt<bool> crash("crash", cl::desc("Crash, to test reproducers"),
                           cl::ReallyHidden, cl::cat(category));
static cl::opt<bool> listTargets("list-targets", cl::desc("List the targets"),
                                 cl::cat(category));
static cl::opt<bool> listPhases("list-phases", cl::desc("List the phases"),
                                cl::cat(category));

static int fail(const Status &status) {
  llvm::errs() << "k3-compile: " << status.render() << "\n";
  return int(status.code());
}

/// `what` is empty when LLVM has said it already.
static int usage(llvm::StringRef what) {
  what = what.split('\n').first;
  what.consume_front("k3-compile: ");
  if (!what.empty())
    llvm::errs() << "k3-compile: " << what << "\n";
  llvm::errs() << "usage: k3-compile <model.mlir> -o <file> "
                  "[--target=x86-64,...] [--precision=f32|bf16]\n"
                  "       [--recurrence=recurrent|chunked]\n"
                  "       k3-compile <model.mlir> --compile-to=<phase>\n";
  return int(Code::BadUsage);
}

static int list() {
  if (listTargets) {
    llvm::outs() << "x86-64\tall of the following\n";
    for (const CpuTarget &target : cpuTargets())
      llvm::outs() << target.name << "\t" << target.vectorWidth * 32
                   << "-bit vectors" << (target.hasBf16Dot ? ", bf16" : "")
                   << "\n";
  }
  if (listPhases)
    for (const Phase &phase : phases())
      llvm::outs() << phase.name << "\t" << phase.leaves << "\n";
  return 0;
}

/// Our faults leave a reproducer, crashes included.
static int run(const JobFlags &flags, CompileOptions &options) {
  std::string bytes;
  Status status = readInput(flags.input, bytes);
  if (status.ok()) {
    // The stack is for MLIR's recursive parser; unused pages cost nothing.
    constexpr unsigned stackBytes = 256u << 20;
    Status result = Status::error(Code::Internal, 590, "the compiler crashed");
    llvm::CrashRecoveryContext recovery;
    recovery.RunSafelyOnThread([&] { result = runJob(flags, options, bytes); },
                               stackBytes);
    status = std::move(result);
  }
  if (status.ok())
    return 0;
  int code = fail(status);
  if (status.code() != Code::Internal)
    return code;
  std::string command = " --target=" + flags.targets;
  if (!flags.precision.empty())
    command += " --precision=" + flags.precision;
  if (flags.recurrence != "recurrent")
    command += " --recurrence=" + flags.recurrence;
  std::string path = writeReproducer(bytes, command);
  if (!path.empty())
    llvm::errs() << "help: a fault of k3-compile; reproducer written to "
                 << path << "\n";
  llvm::errs().flush();
  // After a crash, destructors cannot be trusted.
  _exit(code);
}

/// LLVM has a hidden flag of this name, for something else.
static void dropLlvmOption(llvm::StringRef name) {
  auto &options = cl::getRegisteredOptions();
  if (auto known = options.find(name); known != options.end())
    known->second->removeArgument();
}

int main(int argc, char **argv) {
  catchFatalErrors();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  dropLlvmOption("threads");
  cl::opt<unsigned> threads("threads",
                            cl::desc("Threads to use (default: all)"),
                            cl::value_desc("n"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(argc, argv, "Compiles a k3 module\n",
                                   &problems))
    return usage(problem);
  if (listTargets || listPhases)
    return list();
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &output, &targets, &precision, &recurrence, &compileTo, &dumpFolder,
           &threads})
    if (option->getNumOccurrences() > 1)
      return usage("an option is given twice");
  if (input.empty())
    return usage("no input file");
  if (output.empty() && compileTo.empty())
    return usage("no output file");
  JobFlags flags{input,      output.empty() ? "-" : output.getValue(),
                 targets,    precision,
                 recurrence, compileTo,
                 dumpFolder, threads,
                 remarks,    quiet,
                 crash};
  CompileOptions options;
  Status status = checkFlags(flags, options);
  return status.ok() ? run(flags, options) : fail(status);
}
