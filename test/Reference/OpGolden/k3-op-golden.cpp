// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Golden cases as files: k3-op-golden GOLDEN_FOLDER OUT_FOLDER [bf16] [FILTER].

#include "WriteCase.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"

using namespace k3;
using namespace k3::golden;

static int fail(const Status &status) {
  llvm::errs() << "k3-op-golden: " << status.render() << "\n";
  return int(status.code());
}

int main(int argc, char **argv) {
  if (argc < 3) {
    llvm::errs() << "usage: k3-op-golden <golden folder> <out folder> [bf16] "
                    "[part of a name]\n";
    return int(Code::BadUsage);
  }
  bool bf16 = argc > 3 && llvm::StringRef(argv[3]) == "bf16";
  int filterAt = bf16 ? 4 : 3;
  llvm::StringRef filter = argc > filterAt ? argv[filterAt] : "";
  if (std::error_code error = llvm::sys::fs::create_directories(argv[2]))
    return fail(Status::error(Code::Io, 601,
                              std::string(argv[2]) + ": " + error.message()));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::vector<OpCase> cases;
  Status status = loadOpCases(context, argv[1], bf16, cases);
  if (!status.ok())
    return fail(status);
  for (const OpCase &made : cases) {
    if (!llvm::StringRef(made.name).contains(filter))
      continue;
    status = writeCase(made, argv[2]);
    if (!status.ok())
      return fail(status);
    llvm::outs() << made.name << "\n";
  }
  return 0;
}
