// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs any pass or pipeline on any IR.

#include "k3/Conversion/KernelToLLVM/Passes.h"
#include "k3/Conversion/TileToNVVM/Passes.h"
#include "k3/Dialect/K3/IR/K3.h"
#include "k3/Dialect/K3/Transforms/Passes.h"
#include "k3/Dialect/Tile/Transforms/Passes.h"
#include "k3/Fusion/Passes.h"
#include "k3/Pipeline/Pipeline.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<k3::K3Dialect, k3::tile::K3TDialect>();
  mlir::registerAllPasses();
  k3::registerK3TransformsPasses();
  k3::registerK3FusionPasses();
  k3::registerK3KernelToLLVMPasses();
  k3::registerLowerToLLVM();
  k3::registerPhasePipelines();
  k3::tile::registerK3TileTransformsPasses();
  k3::tile::registerK3TileToNVVMPasses();
  k3::tile::registerTileToLLVM();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "k3 optimizer driver\n", registry));
}
