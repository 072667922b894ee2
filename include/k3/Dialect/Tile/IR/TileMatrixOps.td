// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products on the tensor cores and the triangular inverse.

#ifndef K3T_MATRIX_OPS
#define K3T_MATRIX_OPS

include "k3/Dialect/Tile/IR/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3T_WgmmaFenceOp : K3T_Op<"wgmma_fence"> {
  let summary = "hands registers over to the tensor cores";
  let description = [{
    Register operands and accumulators of the products that follow pass through
    it, so that no write to them can move behind it.
  }];
  let arguments = (ins Variadic<K3T_FloatTile>:$values);
  let results = (outs Variadic<K3T_FloatTile>:$results);
  let assemblyFormat = "$values attr-dict `:` functional-type($values, $results)";
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$values), [{
    build($_builder, $_state, values.getTypes(), values);
  }]>];
  let hasVerifier = 1;
}

def K3T_WgmmaOp : K3T_Op<"wgmma", [AttrSizedOperandSegments]> {
  let summary = "starts acc + a b^T on the warpgroups (sm_90a)";
  let description = [{
    Each warpgroup multiplies 64 rows. `a` is a BF16 tile [M, K] with the layout
    acc, a swizzled buffer [M, K], or one of [64, K] for each warpgroup. `b` is a swizzled
    buffer [N, K], or [K, N] with `transpose_b`, then the product is a b; one
    for all warpgroups, or one for each. `acc` is F32 [M, N] with the layout
    acc; without it the product starts from zero. With `negate`, the product is
    taken away. `b_first` is the first of the N
    rows of `b` (columns, with `transpose_b`) that take part.

    The result may be used after `k3t.wgmma_wait` only.
  }];
  let arguments = (ins Variadic<AnyTypeOf<[K3T_FloatTile, K3T_SharedType]>>:$a,
                       Variadic<K3T_SharedType>:$b, Optional<K3T_F32Tile>:$acc,
                       UnitAttr:$transpose_b, UnitAttr:$negate,
                       DefaultValuedAttr<I64Attr, "0">:$b_first);
  let results = (outs K3T_F32Tile:$result);
  let assemblyFormat = [{
    `a` `(` $a `)` `b` `(` $b `)` (`acc` `(` $acc^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3T_WgmmaCommitOp : K3T_Op<"wgmma_commit"> {
  let summary = "closes a group of products";
  let assemblyFormat = "attr-dict";
}

def K3T_WgmmaWaitOp : K3T_Op<"wgmma_wait"> {
  let summary = "waits until at most `pending` groups are under way";
  let description = "The values that become readable pass through it.";
  let arguments = (ins Variadic<K3T_FloatTile>:$values, I64Attr:$pending);
  let results = (outs Variadic<K3T_FloatTile>:$results);
  let assemblyFormat = "$pending `,` $values attr-dict `:` functional-type($values, $results)";
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$values,
                                 "int64_t":$pending), [{
    build($_builder, $_state, values.getTypes(), values,
          $_builder.getI64IntegerAttr(pending));
  }]>];
  let hasVerifier = 1;
}

def K3T_UnitLowerInverseOp : K3T_Op<"unit_lower_inverse"> {
  let summary = "(I + A)^-1 of a strictly lower triangular A, in place";
  let description = [{
    `buffer` is F32 [64, 64] without swizzle, zero on and above its diagonal;
    `scratch` is F32 [32, 32]. 16 x 16 blocks by
    forward substitution, then the blocks below by products in TF32: the inverse
    of [A 0; C B] is [A^-1 0; -B^-1 C A^-1 B^-1]. Doubling powers would cancel
    under real decays. All warps of the role take part, 8 of them; the op begins
    and ends with a barrier of theirs.
  }];
  let arguments = (ins K3T_SharedType:$buffer, K3T_SharedType:$scratch);
  let assemblyFormat = "$buffer `,` $scratch attr-dict `:` type($buffer) `,` type($scratch)";
  let hasVerifier = 1;
}

#endif // K3T_MATRIX_OPS
