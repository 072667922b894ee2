// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, compiles, writes. The output is written last and in one piece.

#include "CompileJob.h"
#include "ProgressBar.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Escape.h"
#include "runtime/format/ArtefactWriter.h"

#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace k3;
namespace fs = llvm::sys::fs;

static k3::Status ioError(const std::string &path, const std::string &what) {
  return k3::Status::error(Code::Io, 601, escaped(path) + ": " + what);
}

static k3::Status checkOutput(const JobFlags &flags) {
  if (flags.input != "-" && flags.output != "-" &&
      fs::equivalent(flags.input, flags.output))
    return k3::Status::error(Code::BadUsage, 513, "the output is the input");
  return AtomicFile::check(flags.output);
}

k3::Status k3::checkFlags(const JobFlags &flags, CompileOptions &options) {
  K3_TRY(parseTargets(flags.targets, options.targets));
  options.precision = flags.precision;
  if (!flags.precision.empty() && flags.precision != "f32" &&
      flags.precision != "bf16")
    return k3::Status::error(Code::BadUsage, 512,
                             "unknown precision " + quote(flags.precision) +
                                 " (wanted f32 or bf16)");
  options.recurrence = flags.recurrence;
  if (flags.recurrence != "recurrent" && flags.recurrence != "chunked")
    return k3::Status::error(Code::BadUsage, 512,
                             "unknown recurrence " + quote(flags.recurrence) +
                                 " (wanted recurrent or chunked)");
  bool known = flags.stopAfter.empty();
  for (const Phase &phase : phases())
    known |= phase.name == flags.stopAfter;
  if (!known)
    return k3::Status::error(Code::BadUsage, 512,
                             "unknown phase " + quote(flags.stopAfter),
                             "k3-compile --list-phases names them");
  options.stopAfter = flags.stopAfter;
  options.dumpFolder = flags.dumpFolder;
  if (!flags.dumpFolder.empty())
    if (std::error_code error = fs::create_directories(flags.dumpFolder))
      return ioError(flags.dumpFolder, error.message());
  return checkOutput(flags);
}

k3::Status k3::readInput(const std::string &path, std::string &bytes) {
  if (fs::is_directory(path))
    return ioError(path, "is a folder (wanted a k3 module)");
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return ioError(path, buffer.getError().message());
  bytes = (*buffer)->getBuffer().str();
  return {};
}

static k3::Status writeOutput(const JobFlags &flags,
                              const CompiledModel &model) {
  if (!flags.stopAfter.empty())
    return writeFile(flags.output, model.text);
  std::vector<SectionBytes> sections = {{"index", model.index}};
  for (auto [code, image] : llvm::zip_equal(model.plan.code, model.images))
    sections.push_back({code.target, image});
  std::string bytes;
  K3_TRY(makeArtefact(sections, bytes));
  return writeFile(flags.output, bytes);
}

k3::Status k3::runJob(const JobFlags &flags, CompileOptions &options,
                      llvm::StringRef bytes) {
  DialectRegistry registry;
  registerCompileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(flags.threads));
  if (pool.getMaxConcurrency() > 1)
    context.setThreadPool(pool);
  context.loadAllAvailableDialects();
  // Diagnostics show the source line; the op behind it is for debugging.
  auto &known = llvm::cl::getRegisteredOptions();
  auto print = known.find("mlir-print-op-on-diagnostic");
  if (print == known.end() || !print->second->getNumOccurrences())
    context.printOpOnDiagnostic(false);

  auto sources = std::make_shared<llvm::SourceMgr>();
  std::string name = flags.input == "-" ? "<stdin>" : escaped(flags.input);
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(bytes, name),
                              llvm::SMLoc());
  ProgressBar bar(!flags.quiet);
  SourceMgrDiagnosticHandler printer(*sources, &context);
  ScopedDiagnosticHandler filter(&context, [&](Diagnostic &diagnostic) {
    bar.clear();
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
    bool isWanted = isError || (isRemark ? flags.remarks : !flags.quiet);
    return success(!isWanted);
  });
  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  options.configure = [&](PassManager &pm) {
    if (flags.crash)
      std::abort();
    pm.enableTiming(scope);
    return applyPassManagerCLOptions(pm);
  };
  options.progress = [&](size_t done, size_t total) { bar.draw(done, total); };
  if (flags.remarks)
    options.remark = [&](const std::string &text) {
      bar.clear();
      llvm::errs() << "k3-compile: remark: " << escaped(text) << "\n";
    };
  OwningOpRef<ModuleOp> module;
  K3_TRY(readModule(context, sources, module));
  CompiledModel model;
  K3_TRY(compileModule(*module, options, model).in(name));
  bar.clear();
  return writeOutput(flags, model);
}
