// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Latent attention without rotation (NoPE), its cache, and its absorbed form.

#ifndef K3_ATTENTION_OPS
#define K3_ATTENTION_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_LatentAppendOp : K3_Op<"latent_append", [Pure,
    DeclareOpInterfaceMethods<K3_InPlaceOpInterface>]> {
  let summary = "new rows of the latent cache";
  let description = [{
    Token i of a sequence with slot s and context length c is stored as
    `cache[s, c + i] = [latent | k_rot]`, rounded to the cache's type. `latent`
    is the normalised latent, `k_rot` the key part that all heads share.

    Constraints: C1 `latent` is [T, L], `k_rot` [T, R], `cache` [P, C, L + R] and
    `new_cache` has its type.

    Example (test/Dialect/K3/latent_append/doctest.mlir):
    ```mlir
    %c1 = k3.latent_append %c, %r, %c0 seqs(%cu, %slots, %lens)
      : (tensor<?x64xbf16>, tensor<?x16xbf16>, tensor<?x?x80xbf16>,
         tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x80xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$latent, K3_FloatTensor<[2]>:$k_rot,
                       K3_FloatTensor<[3]>:$cache, K3_Index1D:$cu_seqlens,
                       K3_Index1D:$slots, K3_Index1D:$context_lens);
  let results = (outs K3_FloatTensor<[3]>:$new_cache);
  let assemblyFormat = [{
    $latent `,` $k_rot `,` $cache `seqs` `(` $cu_seqlens `,` $slots `,`
    $context_lens `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_LatentAttentionOp : K3_Op<"latent_attention", [Pure]> {
  let summary = "causal multi-head attention over a latent cache";
  let description = [{
    With `kv_b` [H * (Dn + V), L] and a cached row [c | r]:
    `[kn | v] = kv_b c` per head, `k = [kn | r]`; query token i of a sequence
    with context length c0 attends to cached rows 0 .. c0 + i:
    `o = sum_j softmax_j(scale * q . k_j) v_j`, softmax in fp32. The cache
    already holds the call's own tokens. Nothing is rotated.

    Constraints: C1 `q` is [T, H, Dn + R], `cache` [P, C, L + R], `result`
    [T, H, V]. C2 `kv_b` is [H * (Dn + V), L] with Dn = `qk_nope_head_dim` and
    positive R. C3 `scale` is positive.

    Example (test/Dialect/K3/latent_attention/doctest.mlir):
    ```mlir
    %o = k3.latent_attention %q, %kv_b, %cache seqs(%cu, %slots, %lens)
      {qk_nope_head_dim = 32, scale = 0.1443375672974064 : f64}
      : (tensor<?x4x48xbf16>, tensor<320x64xbf16>, tensor<?x?x80xbf16>,
         tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x4x48xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[3]>:$q, K3_FloatTensor<[2]>:$kv_b,
                       K3_FloatTensor<[3]>:$cache, K3_Index1D:$cu_seqlens,
                       K3_Index1D:$slots, K3_Index1D:$context_lens,
                       I64Attr:$qk_nope_head_dim, F64Attr:$scale);
  let results = (outs K3_FloatTensor<[3]>:$result);
  let assemblyFormat = [{
    $q `,` $kv_b `,` $cache `seqs` `(` $cu_seqlens `,` $slots `,`
    $context_lens `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_AbsorbQueryOp : K3_Op<"absorb_query", [Pure, K3_RowWise]> {
  let summary = "queries moved into the latent space";
  let description = [{
    For head h, with Wk = rows h * (Dn + V) .. + Dn of `kv_b`:
    `result[t, h] = [Wk^T q[t, h, :Dn] | q[t, h, Dn:]]`.

    Constraints: C1 `q` is [T, H, Dn + R], `kv_b` [H * (Dn + V), L], `result`
    [T, H, L + R], with Dn = `qk_nope_head_dim` and positive R.

    Example (test/Dialect/K3/absorb_query/doctest.mlir):
    ```mlir
    %ql = k3.absorb_query %q, %kv_b {qk_nope_head_dim = 32}
      : (tensor<?x4x48xbf16>, tensor<320x64xbf16>) -> tensor<?x4x80xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[3]>:$q, K3_FloatTensor<[2]>:$kv_b,
                       I64Attr:$qk_nope_head_dim);
  let results = (outs K3_FloatTensor<[3]>:$result);
  let assemblyFormat = [{
    $q `,` $kv_b attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_LatentAttendOp : K3_Op<"latent_attend", [Pure]> {
  let summary = "causal attention of latent queries over the latent cache";
  let description = [{
    `result[t, h] = sum_j softmax_j(scale * q[t, h] . cache[s, j]) cache[s, j,
    :L]`: one key and value head shared by all query heads. Sums run over the
    cached rows in blocks of fixed position, so the result does not depend on
    how a prompt was split.

    Constraints: C1 `q` is [T, H, L + R], `cache` [P, C, L + R], `result`
    [T, H, L] with positive L and R. C2 `scale` is positive.

    Example (test/Dialect/K3/latent_attend/doctest.mlir):
    ```mlir
    %ctx = k3.latent_attend %ql, %cache seqs(%cu, %slots, %lens)
      {scale = 0.1443375672974064 : f64}
      : (tensor<?x4x80xf32>, tensor<?x?x80xbf16>, tensor<?xi32>, tensor<?xi32>,
         tensor<?xi32>) -> tensor<?x4x64xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[3]>:$q, K3_FloatTensor<[3]>:$cache,
                       K3_Index1D:$cu_seqlens, K3_Index1D:$slots,
                       K3_Index1D:$context_lens, F64Attr:$scale);
  let results = (outs K3_FloatTensor<[3]>:$result);
  let assemblyFormat = [{
    $q `,` $cache `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_AbsorbValueOp : K3_Op<"absorb_value", [Pure, K3_RowWise]> {
  let summary = "latent contexts moved out to value heads";
  let description = [{
    For head h, with Wv = rows h * (Dn + V) + Dn .. + V of `kv_b`:
    `result[t, h] = Wv x[t, h]`.

    Constraints: C1 `x` is [T, H, L], `kv_b` [H * (Dn + V), L], `result`
    [T, H, V], with Dn = `qk_nope_head_dim`.

    Example (test/Dialect/K3/absorb_value/doctest.mlir):
    ```mlir
    %o = k3.absorb_value %ctx, %kv_b {qk_nope_head_dim = 32}
      : (tensor<?x4x64xf32>, tensor<320x64xbf16>) -> tensor<?x4x48xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[3]>:$x, K3_FloatTensor<[2]>:$kv_b,
                       I64Attr:$qk_nope_head_dim);
  let results = (outs K3_FloatTensor<[3]>:$result);
  let assemblyFormat = [{
    $x `,` $kv_b attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // K3_ATTENTION_OPS
