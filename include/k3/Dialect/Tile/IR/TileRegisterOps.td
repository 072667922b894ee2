// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens between registers, and where a thread is.

#ifndef K3T_REGISTER_OPS
#define K3T_REGISTER_OPS

include "k3/Dialect/Tile/IR/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3T_BlockIdOp : K3T_Op<"block_id", [Pure]> {
  let summary = "the number of this workgroup";
  let results = (outs I32:$id);
  let assemblyFormat = "attr-dict";
}

def K3T_SplatOp : K3T_Op<"splat", [Pure]> {
  let summary = "a tile with one value everywhere";
  let arguments = (ins AnyTypeOf<[F32, I32, I1]>:$value);
  let results = (outs K3T_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def K3T_IotaOp : K3T_Op<"iota", [Pure]> {
  let summary = "the index of each element along one dimension";
  let arguments = (ins I64Attr:$axis);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def K3T_ReduceOp : K3T_Op<"reduce", [Pure]> {
  let summary = "the sum along one dimension";
  let description = [{
    First over the registers of a thread, then over its warp by shuffles, in an
    order that depends on the layout alone. The dimension may not be spread over
    warps: such a sum goes through shared memory, where its cost is visible.
    The result has the layout `#k3t.slice<axis, layout of the operand>`.
  }];
  let arguments = (ins K3T_F32Tile:$source, I64Attr:$axis);
  let results = (outs K3T_F32Tile:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def K3T_ScanOp : K3T_Op<"scan", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "inclusive sums along a dimension that one thread holds";
  let arguments = (ins K3T_F32Tile:$source, I64Attr:$axis);
  let results = (outs K3T_F32Tile:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def K3T_LastOp : K3T_Op<"last", [Pure]> {
  let summary = "the last element along a dimension that one thread holds";
  let description = "After `k3t.scan`, the total. The result is a slice.";
  let arguments = (ins K3T_F32Tile:$source, I64Attr:$axis);
  let results = (outs K3T_F32Tile:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def K3T_BroadcastOp : K3T_Op<"broadcast", [Pure]> {
  let summary = "a slice repeated along the dimension that it lacks";
  let arguments = (ins K3T_Tile:$source);
  let results = (outs K3T_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def K3T_ByWarpgroupOp : K3T_Op<"by_warpgroup", [Pure,
    AllTypesMatch<["first", "second", "result"]>]> {
  let summary = "64 rows of one tile, then 64 rows of another";
  let description = [{
    Rows 0 to 63 of `first` and 64 to 127 of `second`: what two warpgroups do
    differently. Tiles with the layout acc, or vectors along their rows.
  }];
  let arguments = (ins K3T_Tile:$first, K3T_Tile:$second);
  let results = (outs K3T_Tile:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def K3T_ConcatOp : K3T_Op<"concat", [Pure]> {
  let summary = "two accumulators side by side";
  let description = "Columns of `left`, then columns of `right`; costs nothing.";
  let arguments = (ins K3T_FloatTile:$left, K3T_FloatTile:$right);
  let results = (outs K3T_FloatTile:$result);
  let assemblyFormat = "$left `,` $right attr-dict `:` type($left) `,` type($right) `->` type($result)";
  let hasVerifier = 1;
}

#endif // K3T_REGISTER_OPS
