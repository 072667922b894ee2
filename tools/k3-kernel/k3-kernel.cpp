// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes one fused kernel by itself, and what a launch of it needs.

#include "k3/Standalone/StandaloneKernel.h"
#include "runtime/base/AtomicFile.h"
#include "tools/support/Flags.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace k3;

namespace {

struct Job {
  std::string name, output = "-", target = "sm_90a", emit = "cubin", describe;
  StandaloneShape shape;
};

k3::Status parse(int argc, char **argv, tools::Flags &flags, Job &job) {
  flags.positional("KERNEL", &job.name);
  KdaShape &kda = job.shape.kda;
  flags.integer("--heads", 1, 65536, &kda.heads, "kda: heads of the layer");
  flags.integer("--key-dim", 1, 4096, &kda.keyDim, "kda: width of a key (128)");
  flags.integer("--value-dim", 1, 4096, &kda.valueDim,
                "kda: width of a value (128)");
  flags.number("--lower-bound", -1e3, 0, &kda.lowerBound,
               "kda: bound of the gate (-5); 0: the unbounded gate");
  flags.integer("--columns", 1, 1 << 24, &job.shape.matmul.columns,
                "matmul: rows of w, columns of y");
  flags.integer("--depth", 1, 1 << 24, &job.shape.matmul.depth,
                "matmul: columns of x and w");
  flags.text("--target", &job.target, "architecture (sm_90a)");
  flags.choice("--emit", {"k3t", "llvm-dialect", "llvm", "ptx", "cubin"},
               &job.emit, "what to write (cubin)");
  flags.text("-o", &job.output, "output file (-: standard output)");
  flags.text("--describe", &job.describe,
             "file for entry, threads, shared memory and registers, as JSON");
  return flags.parse(argc, argv);
}

k3::Status assemble(const StandaloneKernel &kernel, const GpuTarget &target,
                    AssembledCode &code) {
  std::string assembler = findAssembler();
  if (assembler.empty())
    return k3::Status::error(Code::Environment, 595,
                             "no ptxas for --emit=cubin (looked in CUDA_PATH, "
                             "CUDA_HOME, PATH and /usr/local/cuda)",
                             "--emit=ptx needs none");
  return assemblePtx(assembler, kernel.code.ptx, target, code);
}

std::string describe(const StandaloneKernel &kernel,
                     const AssembledCode &code) {
  llvm::json::Object object{{"entry", kernel.entry},
                            {"threads", kernel.threads},
                            {"shared_bytes", kernel.sharedBytes}};
  for (const KernelResources &own : code.kernels) {
    object["registers"] = own.registers;
    object["spill_bytes"] = own.spillBytes;
    object["stack_bytes"] = own.stackBytes;
  }
  llvm::json::Array warnings;
  for (const std::string &warning : code.warnings)
    warnings.push_back(warning);
  object["warnings"] = std::move(warnings);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << '\n';
  return text;
}

k3::Status run(const Job &job) {
  if (!llvm::is_contained(standaloneKernels(), job.name))
    return k3::Status::error(Code::BadUsage, 516,
                             "unknown kernel '" + job.name + "' (wanted " +
                                 llvm::join(standaloneKernels(), ", ") + ")");
  const GpuTarget *target = findGpuTarget(job.target);
  if (!target)
    return k3::Status::error(Code::BadUsage, 510,
                             "unknown target '" + job.target + "'");
  mlir::DialectRegistry registry;
  registerStandaloneDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  StandaloneKernel kernel;
  K3_TRY(buildStandaloneKernel(context, job.name, job.shape, *target, kernel));
  AssembledCode code;
  if (job.emit == "cubin")
    K3_TRY(assemble(kernel, *target, code));
  if (!job.describe.empty())
    K3_TRY(writeFile(job.describe, describe(kernel, code)));
  const std::string &out = job.emit == "k3t"            ? kernel.tiles
                           : job.emit == "llvm-dialect" ? kernel.llvmDialect
                           : job.emit == "llvm"         ? kernel.code.ir
                           : job.emit == "ptx"          ? kernel.code.ptx
                                                        : code.cubin;
  return writeFile(job.output, out);
}

} // namespace

int main(int argc, char **argv) {
  tools::Flags flags("k3-kernel KERNEL [flags]");
  Job job;
  k3::Status status = parse(argc, argv, flags, job);
  if (status.ok() && flags.wantsHelp) {
    llvm::outs() << flags.helpText();
    return 0;
  }
  if (status.ok() && flags.wantsVersion) {
    llvm::outs() << "k3-kernel " K3_VERSION "\n";
    return 0;
  }
  if (status.ok())
    status = run(job);
  if (!status.ok())
    llvm::errs() << "k3-kernel: " << status.render() << '\n';
  return int(status.code());
}
