// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Editors talk to this: diagnostics, definitions and hover for k3 IR.

#include "k3/Dialect/K3/IR/K3.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<k3::K3Dialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
