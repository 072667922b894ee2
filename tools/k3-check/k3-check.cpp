// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says how far a compiled module is from the reference, op by op.

#include "CheckJob.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace k3;
namespace cl = llvm::cl;

static cl::OptionCategory category("k3-check options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<model.mlir>"),
                                  cl::cat(category));
static cl::opt<std::string> weights("weights", cl::desc("Checkpoint folder"),
                                    cl::value_desc("dir"), cl::cat(category));
static cl::opt<std::string> entry("entry",
                                  cl::desc("Entry point (default: score)"),
                                  cl::init("score"), cl::cat(category));
static cl::opt<std::string>
    inputsFile("in", cl::desc("Inputs by name, as safetensors"),
               cl::value_desc("file"), cl::cat(category));
static cl::list<int> promptIds("prompt-ids",
                               cl::desc("One sequence of token ids"),
                               cl::value_desc("ids"), cl::CommaSeparated,
                               cl::cat(category));
static cl::opt<std::string>
    expected("expect", cl::desc("Wanted results by name, as safetensors"),
             cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> target("target", cl::desc("CPU level"),
                                   cl::init("x86-64"), cl::cat(category));
static cl::opt<std::string>
    precision("precision", cl::desc("f32 or bf16 (default: as imported)"),
              cl::cat(category));
static cl::opt<std::string> recurrence("recurrence",
                                       cl::desc("recurrent or chunked"),
                                       cl::init("recurrent"),
                                       cl::cat(category));
static cl::opt<bool>
    chained("chained",
            cl::desc("Carry the reference's values on, not the "
                     "compiled ones: errors add up"),
            cl::cat(category));
static cl::opt<bool> onlyFailures("only-failures",
                                  cl::desc("Print values out of bounds only"),
                                  cl::cat(category));
static cl::opt<double> maxRms("max-rms",
                              cl::desc("Bound of the rms ratio (default: 1e-5 "
                                       "for F32, 1e-2 for BF16 values)"),
                              cl::cat(category));
static cl::opt<double> maxRow("max-row",
                              cl::desc("Bound of the row ratio (default: 1e-4 "
                                       "for F32, 5e-2 for BF16 values)"),
                              cl::cat(category));

static int usage(llvm::StringRef what) {
  llvm::errs()
      << "k3-check: " << what.split('\n').first
      << "\nusage: k3-check <model.mlir> [--weights=<dir>] "
         "[--entry=score] (--prompt-ids=1,2,3 | --in=<file>)\n"
         "       [--precision=f32|bf16] [--recurrence=recurrent|chunked] "
         "[--target=<level>]\n       "
         "[--chained] [--max-rms=x] [--max-row=x]\n";
  return int(Code::BadUsage);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Compares a compiled module with the reference\n",
          &problems))
    return usage(problem);
  if (input.empty())
    return usage("no input file");
  if (promptIds.empty() && inputsFile.empty())
    return usage("no inputs");
  if (!precision.empty() && precision != "f32" && precision != "bf16")
    return usage("unknown precision (wanted f32 or bf16)");
  if (recurrence != "recurrent" && recurrence != "chunked")
    return usage("unknown recurrence (wanted recurrent or chunked)");
  CheckFlags flags{
      input,     weights,    entry,        target,
      precision, recurrence, inputsFile,   {promptIds.begin(), promptIds.end()},
      expected,  chained,    onlyFailures, 0,
      {},        {}};
  if (maxRms.getNumOccurrences())
    flags.maxRms = maxRms;
  if (maxRow.getNumOccurrences())
    flags.maxRow = maxRow;
  Status status = runCheck(flags);
  if (status.ok())
    return 0;
  llvm::outs().flush();
  llvm::errs() << "k3-check: " << status.render() << "\n";
  return int(status.code());
}
