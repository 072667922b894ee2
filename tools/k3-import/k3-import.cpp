// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model folder in, its k3 module out; or a report of what does not fit.

#include "k3/Import/ImportModel.h"
#include "runtime/base/AtomicFile.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"

using namespace k3;
namespace cl = llvm::cl;

static cl::OptionCategory category("k3-import options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<model folder>"),
                                  cl::value_desc("dir"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Output file, - for stdout"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> check("check",
                           cl::desc("List every tensor that is missing, "
                                    "mis-shaped, padded or unexpected"),
                           cl::cat(category));
static cl::opt<bool> strict("strict", cl::desc("Unexpected tensors are errors"),
                            cl::cat(category));
static cl::opt<Precision>
    precision("precision",
              cl::desc("Element type of activations (default: the model's)"),
              cl::values(clEnumValN(Precision::BFloat16, "bf16", "bfloat16"),
                         clEnumValN(Precision::Float32, "f32", "float32")),
              cl::cat(category));

static int fail(const Status &status) {
  llvm::errs() << "k3-import: " << status.render() << "\n";
  return int(status.code());
}

static int usage(const char *what) {
  llvm::errs() << "k3-import: " << what
               << "\nusage: k3-import <model folder> -o <file> "
                  "[--precision=bf16|f32] [--strict]\n"
                  "       k3-import <model folder> --check [--strict]\n";
  return int(Code::BadUsage);
}

/// What was read but not used, said once on stderr.
static void remark(const TensorReport &report) {
  constexpr size_t shown = 20;
  TensorReport unexpected;
  unexpected.unexpected = report.unexpected;
  if (!report.unexpected.empty()) {
    llvm::errs() << "k3-import: warning: " << report.unexpected.size()
                 << " tensors are not used\n";
    printReport(unexpected, shown, llvm::errs());
  }
  if (report.vision)
    llvm::errs() << "k3-import: remark: " << report.vision
                 << " vision tensors are not imported\n";
  if (report.extra)
    llvm::errs() << "k3-import: remark: " << report.extra
                 << " tensors of next-token-prediction layers are not "
                    "imported\n";
}

static int runCheck(const ModelFolder &folder) {
  printReport(folder.report, SIZE_MAX, llvm::outs());
  llvm::outs() << folder.path << ": " << summarize(folder.report) << "\n";
  llvm::outs().flush();
  Status status = reportStatus(folder.report, folder.path, strict);
  return status.ok() ? 0 : fail(status);
}

static int runImport(const ModelFolder &folder) {
  for (const std::string &file : folder.files)
    if (llvm::sys::fs::equivalent(file, output))
      return usage("the output is one of the input files");
  Status status = reportStatus(folder.report, folder.path, strict);
  if (!status.ok()) {
    printReport(folder.report, 20, llvm::errs());
    return fail(status);
  }
  remark(folder.report);
  mlir::DialectRegistry registry;
  registerImportDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<Precision> asked;
  if (precision.getNumOccurrences())
    asked = precision;
  status = importModel(context, folder, asked, module);
  if (!status.ok())
    return fail(status);
  status = writeFile(output, printModel(*module));
  return status.ok() ? 0 : fail(status);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(argc, argv, "Imports a model as k3 IR\n",
                                   &problems))
    return usage(llvm::StringRef(problem).split('\n').first.str().c_str());
  if (output.getNumOccurrences() > 1 || precision.getNumOccurrences() > 1)
    return usage("an option is given twice");
  if (!check && output.empty())
    return usage("no output file");
  ModelFolder folder;
  Status status = check ? Status() : AtomicFile::check(output);
  if (status.ok())
    status = readModelFolder(input, folder);
  if (!status.ok())
    return fail(status);
  return check ? runCheck(folder) : runImport(folder);
}
