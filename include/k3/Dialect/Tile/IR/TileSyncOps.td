// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles, barriers and fences.

#ifndef K3T_SYNC_OPS
#define K3T_SYNC_OPS

include "k3/Dialect/Tile/IR/TileBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3T_RoleOp : K3T_Op<"role", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a part of the program that some warps will do";
  let description = [{
    Roles are done one after the other: that is the meaning of a program. All
    roles of one name belong together. Inside a loop, roles hand each other the
    stages of buffers in the order in which they are written;
    `--k3t-split-roles` gives each name its own warps and lets the loop run as a
    pipeline. Tiles do not leave the roles of one name.

    The first role of a loop may be done by the warps of the last one (`with`):
    as soon as those are done with a stage, they fill it again for the step that
    uses it next. With `lag` 1 they fill the stage of the step before, whose
    products may still be under way when the step ends.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$warps, I64Attr:$registers,
                       OptionalAttr<StrAttr>:$with,
                       DefaultValuedAttr<I64Attr, "0">:$lag);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `warps` `=` $warps `registers` `=` $registers (`with` $with^)? (`lag` $lag^)? (`->` type($results)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def K3T_YieldOp : K3T_Op<"yield", [Pure, Terminator, ReturnLike,
                                    HasParent<"RoleOp, OnWarpsOp">]> {
  let summary = "ends a role";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::ValueRange());
  }]>];
}

def K3T_OnWarpsOp : K3T_Op<"on_warps", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "runs its body on some warps of the workgroup only";
  let description = [{
    `registers` is the most that each of its threads may use; 0 leaves it as the
    kernel was started.
  }];
  let arguments = (ins I64Attr:$first, I64Attr:$count, I64Attr:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$first `,` $count `registers` `=` $registers attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def K3T_BarrierOp : K3T_Op<"barrier"> {
  let summary = "all warps of the role meet";
  let description = "With `warpgroup`, only the four warps of each warpgroup.";
  let arguments = (ins UnitAttr:$warpgroup);
  let assemblyFormat = "attr-dict";
}

def K3T_FenceSharedOp : K3T_Op<"fence_shared"> {
  let summary = "makes this thread's writes to shared memory visible to the tensor cores";
  let description = "They are visible to all once a barrier has followed.";
  let assemblyFormat = "attr-dict";
}

def K3T_AllocBarrierOp : K3T_Op<"alloc_barrier"> {
  let summary = "mbarriers, each of which waits for `arrivals`";
  let arguments = (ins I64Attr:$arrivals);
  let results = (outs K3T_BarrierType:$result);
  let assemblyFormat = "$arrivals attr-dict `:` type($result)";
}

def K3T_WaitOp : K3T_Op<"wait"> {
  let summary = "waits until the phase of that parity of an mbarrier is over";
  let arguments = (ins K3T_BarrierType:$barrier, I32:$stage, I32:$parity);
  let assemblyFormat = "$barrier `[` $stage `]` `parity` $parity attr-dict `:` type($barrier)";
}

def K3T_ArriveOp : K3T_Op<"arrive"> {
  let summary = "arrives at an mbarrier";
  let description = "With `after_copies`, once this thread's copies are done.";
  let arguments = (ins K3T_BarrierType:$barrier, I32:$stage,
                       UnitAttr:$after_copies);
  let assemblyFormat = "$barrier `[` $stage `]` attr-dict `:` type($barrier)";
}

#endif // K3T_SYNC_OPS
