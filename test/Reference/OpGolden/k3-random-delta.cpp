// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random recurrences as files: k3-random-delta OUT_FOLDER FIRST_SEED COUNT.

#include "RandomDelta.h"
#include "WriteCase.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"

using namespace k3;
using namespace k3::golden;

static int fail(const Status &status) {
  llvm::errs() << "k3-random-delta: " << status.render() << "\n";
  return int(status.code());
}

int main(int argc, char **argv) {
  unsigned first = 0, count = 0;
  if (argc != 4 || llvm::StringRef(argv[2]).getAsInteger(10, first) ||
      llvm::StringRef(argv[3]).getAsInteger(10, count)) {
    llvm::errs() << "usage: k3-random-delta <out folder> <first seed> "
                    "<count>\n";
    return int(Code::BadUsage);
  }
  if (std::error_code error = llvm::sys::fs::create_directories(argv[1]))
    return fail(Status::error(Code::Io, 601,
                              std::string(argv[1]) + ": " + error.message()));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<K3Dialect, mlir::func::FuncDialect>();
  for (unsigned seed = first; seed < first + count; ++seed) {
    RandomDelta program(seed);
    OpCase made;
    made.name = "seed" + std::to_string(seed);
    made.module =
        mlir::parseSourceString<mlir::ModuleOp>(program.text(), &context);
    if (!made.module)
      return fail(Status::error(Code::Internal, 590, made.name));
    made.inputs = program.inputs();
    Status status = writeCase(made, argv[1]);
    if (!status.ok())
      return fail(status);
  }
  return 0;
}
