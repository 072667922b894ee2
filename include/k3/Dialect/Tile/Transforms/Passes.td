// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef K3T_TRANSFORMS_PASSES
#define K3T_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def SplitRoles : Pass<"k3t-split-roles", "::mlir::func::FuncOp"> {
  let summary = "Give each role its own warps and let loops run as pipelines";
  let description = [{
    A kernel whose roles follow each other becomes one whose roles run side by
    side: for each name of a `k3t.role`, a `k3t.on_warps` with the whole
    program as far as that role takes part in it. Within the loop that holds
    roles, a stage of the buffers is handed from role to role in their order
    (mbarriers `full`), and from the last one back to the first (`empty`).

    Refused: tiles that pass between roles; a buffer without stages that two
    roles use; buffers with different numbers of stages; more than one loop with
    roles.
  }];
  let dependentDialects = ["::k3::tile::K3TDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // K3T_TRANSFORMS_PASSES
