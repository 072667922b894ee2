// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chunkwise form of the recurrence, step by step.

#ifndef K3_CHUNK_OPS
#define K3_CHUNK_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "k3/Dialect/K3/IR/K3DeltaOps.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_DecayForm : K3_Enum<"DecayForm", "how decayed products are computed", [
  I32EnumAttrCase<"Plain", 0, "plain">,
  I32EnumAttrCase<"Scalar", 1, "scalar">,
  I32EnumAttrCase<"Anchored", 2, "anchored">,
  I32EnumAttrCase<"Pairwise", 3, "pairwise">]>;
def K3_DecayFormAttr : K3_EnumAttr<K3_DecayForm, "decay_form">;

/// Each op of the family names its sequences and cuts them into chunks itself.
class K3_ChunkOp<string mnemonic, list<Trait> traits = []>
    : K3_Op<mnemonic, !listconcat([Pure, K3_ChunkOpInterface], traits)> {
  let hasVerifier = 1;
}

def K3_ChunkDecayOp : K3_ChunkOp<"chunk_decay"> {
  let summary = "cumulative log-decay inside a chunk";
  let description = [{
    `result[t] = sum of g[j]`, j from the first token of t's chunk to t, in fp32.
    Chunks of `chunk_size` tokens count from each sequence's own start, so a
    sequence has the same ones alone and packed; the last one may be short. As
    in every op of this family, rows of padded sequences are zero. Kimi Linear
    report, section on chunkwise parallelism (gamma, as a logarithm).

    Constraints: C1 `g` is [HV], [T, HV] or [T, HV, K]; `rows`, any tensor of T
    rows, is given exactly for [HV], and `result` is [T, HV] or has the shape of
    `g`. C2 `chunk_size` lies in [1, 256].

    Example (test/Dialect/K3/chunk_decay/doctest.mlir):
    ```mlir
    %sum = k3.chunk_decay g(%g) seqs(%cu, %slots, %lens)
      {chunk_size = 64 : i64}
      : (tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
      -> tensor<?x2x128xf32>
    ```
  }];
  let arguments = (ins K3_F32Tensor<[1, 2, 3]>:$g,
    Optional<K3_FloatTensor<[2, 3]>>:$rows, K3_Index1D:$cu_seqlens,
    K3_Index1D:$slots, K3_Index1D:$context_lens, I64Attr:$chunk_size);
  let results = (outs K3_F32Tensor<[2, 3]>:$result);
  let assemblyFormat = [{
    `g` `(` $g `)` (`rows` `(` $rows^ `)`)?
    `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

def K3_ChunkTiedKeyOp : K3_ChunkOp<"chunk_tied_key"> {
  let summary = "write key tied to the decay";
  let description = [{
    `result = 1 - exp(g)`, the write key of HGRN2, without cancellation.

    Constraints: C1 `result` has the shape of `g`. C2 `chunk_size` lies in
    [1, 256].

    Example (test/Dialect/K3/chunk_tied_key/doctest.mlir):
    ```mlir
    %k = k3.chunk_tied_key g(%g) seqs(%cu, %slots, %lens)
      {chunk_size = 64 : i64}
      : (tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
      -> tensor<?x2x128xf32>
    ```
  }];
  let arguments = (ins K3_F32Tensor<[3]>:$g, K3_Index1D:$cu_seqlens,
    K3_Index1D:$slots, K3_Index1D:$context_lens, I64Attr:$chunk_size);
  let results = (outs K3_F32Tensor<[3]>:$result);
  let assemblyFormat = [{
    `g` `(` $g `)` `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)`
    attr-dict `:` functional-type(operands, results)
  }];
}

def K3_ChunkGramOp : K3_ChunkOp<"chunk_gram", [AttrSizedOperandSegments]> {
  let summary = "decayed Gram matrix of a chunk";
  let description = [{
    For token t at place p of its chunk and the token j at place c of it,
    `result[t, h, c] = sum_d x[t, d] y[j, d] exp(E[t, d] - G[j, d])` when c < p,
    or c = p with `diagonal`, and 0 otherwise. G is `decay`, the result of
    `k3.chunk_decay`; E is G, or G - g where `g` is given: what an erase sees
    that reads the undecayed state. A_kk and A_qk of the Kimi Linear report
    without their factors.

    All forms mean this; they differ in rounding. `plain` has no decay and
    `scalar` one a head: a product of matrices times exp(E[t] - G[j]).
    `anchored` multiplies (x exp(E - G[m])) by (y exp(G[m] - G))^T with m =
    `anchor` in diagonal sub-tiles of `sub_tile` rows, which is safe when the
    log-decays lie in `log_decay_bounds`: no exponent exceeds -lower times the
    steps to the farther end, and that must be at most 62 in base 2.
    `pairwise` exponentiates every difference there. Other sub-tiles are
    factored at the row before theirs, where no exponent is positive.

    Constraints: C1 `x` and `y` are [T, H, K] or [T, HV, K]. C2 `result` is
    [T, HV, chunk_size] and H divides HV. C3 `decay` is absent for `plain`,
    [T, HV] for `scalar`, [T, HV, K] otherwise. C4 `g` has the shape of `decay`,
    or is [HV] for `scalar`. C5 `anchor` and `log_decay_bounds` are given exactly
    for `anchored`, with `anchor` in the sub-tile, no positive upper bound and
    the exponents proven. C6 `sub_tile` divides `chunk_size`. C7 `chunk_size`
    lies in [1, 256].

    Example (test/Dialect/K3/chunk_gram/doctest.mlir):
    ```mlir
    %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
      {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
       sub_tile = 16 : i64, anchor = 7 : i64,
       log_decay_bounds = array<f64: -5.0, 0.0>}
      : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
         tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[3]>:$x, K3_FloatTensor<[3]>:$y,
    Optional<K3_F32Tensor<[2, 3]>>:$decay,
    Optional<K3_F32Tensor<[1, 2, 3]>>:$g, K3_Index1D:$cu_seqlens,
    K3_Index1D:$slots, K3_Index1D:$context_lens, K3_DecayFormAttr:$form,
    BoolAttr:$diagonal, I64Attr:$chunk_size, I64Attr:$sub_tile,
    OptionalAttr<I64Attr>:$anchor,
    OptionalAttr<DenseF64ArrayAttr>:$log_decay_bounds);
  let results = (outs K3_F32Tensor<[3]>:$result);
  let assemblyFormat = [{
    `x` `(` $x `)` `y` `(` $y `)` (`decay` `(` $decay^ `)`)?
    (`g` `(` $g^ `)`)? `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)`
    attr-dict `:` functional-type(operands, results)
  }];
}

def K3_ChunkInverseOp : K3_ChunkOp<"chunk_inverse"> {
  let summary = "inverse of a unit lower triangular matrix";
  let description = [{
    Each chunk of `result` is `(I - diag(s) A)^-1`, A being the strictly lower
    chunk of `gram` and s = -beta, or 1 without `beta`; row p of a chunk has
    zeros behind place p. By forward substitution, row after row: products of
    powers of A cancel under real decays. T of the Kimi Linear report.

    Constraints: C1 `gram` is [T, HV, chunk_size], and `result` has its shape.
    C2 `beta` is [T, HV]. C3 `chunk_size` lies in [1, 256].

    Example (test/Dialect/K3/chunk_inverse/doctest.mlir):
    ```mlir
    %m = k3.chunk_inverse gram(%a) beta(%beta) seqs(%cu, %slots, %lens)
      {chunk_size = 64 : i64}
      : (tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
         tensor<?xi32>) -> tensor<?x2x64xf32>
    ```
  }];
  let arguments = (ins K3_F32Tensor<[3]>:$gram,
    Optional<K3_F32Tensor<[2]>>:$beta, K3_Index1D:$cu_seqlens,
    K3_Index1D:$slots, K3_Index1D:$context_lens, I64Attr:$chunk_size);
  let results = (outs K3_F32Tensor<[3]>:$result);
  let assemblyFormat = [{
    `gram` `(` $gram `)` (`beta` `(` $beta^ `)`)?
    `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

def K3_ChunkWUOp : K3_ChunkOp<"chunk_wu", [AttrSizedOperandSegments]> {
  let summary = "W and U, by which a chunk's erases see its incoming state";
  let description = [{
    The erases of a chunk read S, its incoming state, as `u - w S`:
    `w = -M diag(s) (y . exp(E))` and `u = M p`. M is `inverse`; s = -beta for
    `delta` and `own_key`, which share the key of the write, and 1 for
    `low_rank`. p is the written value, v or beta v (`write`), and for `low_rank`
    `gram` times it. E is `decay`, minus `g` where given, 0 without. w and u of
    the Kimi Linear report, where s = -beta.

    Constraints: C1 `inverse` is [T, HV, C] with C = `chunk_size`. C2 `y` is
    [T, H, K] or [T, HV, K], and `w` is [T, HV, K]. C3 `v` is [T, HV, V], and `u`
    has its shape. C4 `decay` is [T, HV] or [T, HV, K]; `g` needs it and has its
    shape, or is [HV] beside [T, HV]. C5 `beta` is [T, HV], given exactly when
    the erase is `delta` or `own_key` or the write is `beta_value`. C6 `gram` has
    the shape of `inverse`, given exactly for `low_rank`; the erase is not
    `none`. C7 `chunk_size` lies in [1, 256].

    Example (test/Dialect/K3/chunk_wu/doctest.mlir):
    ```mlir
    %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
      seqs(%cu, %slots, %lens)
      {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
       chunk_size = 64 : i64}
      : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
         tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
         tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>)
    ```
  }];
  let arguments = (ins K3_F32Tensor<[3]>:$inverse, K3_FloatTensor<[3]>:$y,
    K3_FloatTensor<[3]>:$v, Optional<K3_F32Tensor<[2, 3]>>:$decay,
    Optional<K3_F32Tensor<[1, 2, 3]>>:$g, Optional<K3_F32Tensor<[2]>>:$beta,
    Optional<K3_F32Tensor<[3]>>:$gram, K3_Index1D:$cu_seqlens,
    K3_Index1D:$slots, K3_Index1D:$context_lens, K3_EraseAttr:$erase,
    K3_WriteAttr:$write, I64Attr:$chunk_size);
  let results = (outs K3_F32Tensor<[3]>:$w, K3_F32Tensor<[3]>:$u);
  let assemblyFormat = [{
    `inverse` `(` $inverse `)` `y` `(` $y `)` `v` `(` $v `)`
    (`decay` `(` $decay^ `)`)? (`g` `(` $g^ `)`)? (`beta` `(` $beta^ `)`)?
    (`gram` `(` $gram^ `)`)?
    `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

def K3_ChunkStepOp : K3_ChunkOp<"chunk_step", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<K3_InPlaceOpInterface>]> {
  let summary = "the state from chunk to chunk";
  let description = [{
    Chunk after chunk, with S the incoming state [K, V], G `decay` (0 without)
    and G* its row at the chunk's last token:
    `read = (q . exp(G)) S`, `pseudo = u - w S`,
    `S' = exp(G*) S + sum_j exp(G* - G[j]) (b[j] pseudo[j]^T + k[j] p[j]^T)`.
    For `delta` and `own_key` the key k takes the place of b and there is no
    second term; for `none` there is no first one. p is the written value, v or
    beta v. With a normaliser z, `weight = (q . exp(G)) z` and z is carried as
    one more column of S with p = 1 or beta and no erase. Kimi Linear report,
    the equation of S[t+1]. The results are `read`, `new_state`, then `pseudo`
    unless the erase is `none`, then `weight` and `new_normalizer_state` with a
    normaliser.

    Constraints: C1 `q` is [T, H, K]; `k` and `b` are [T, H, K] or [T, HV, K],
    `b` given exactly for `low_rank`. C2 `v` is [T, HV, V], given exactly for
    `none` and `low_rank`, and `read` is [T, HV, V] with H dividing HV. C3 `w`
    [T, HV, K], `u` and `pseudo` [T, HV, V] are given unless the erase is `none`.
    C4 `decay` is [T, HV] or [T, HV, K]. C5 `beta` is [T, HV], given exactly when
    the write is `beta_value` and there is `v` or a normaliser. C6 `state` is F32
    [P, HV, K, V], or [P, HV, V, K] with `state_v_first`, and `new_state` has its
    type. C7 `normalizer_state` [P, HV, K], `weight` [T, HV] and the new
    normaliser of its type go together. C8 `chunk_size` lies in [1, 256].

    Example (test/Dialect/K3/chunk_step/doctest.mlir):
    ```mlir
    %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
      state(%s0) seqs(%cu, %slots, %lens)
      {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
       state_v_first = true, chunk_size = 64 : i64}
      : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
         tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
         tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
      -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
    ```
  }];
  let arguments = (ins K3_FloatTensor<[3]>:$q, K3_FloatTensor<[3]>:$k,
    Optional<K3_FloatTensor<[3]>>:$b, Optional<K3_FloatTensor<[3]>>:$v,
    Optional<K3_F32Tensor<[2, 3]>>:$decay, Optional<K3_F32Tensor<[2]>>:$beta,
    Optional<K3_F32Tensor<[3]>>:$w, Optional<K3_F32Tensor<[3]>>:$u,
    K3_F32Tensor<[4]>:$state, Optional<K3_F32Tensor<[3]>>:$normalizer_state,
    K3_Index1D:$cu_seqlens, K3_Index1D:$slots, K3_Index1D:$context_lens,
    K3_EraseAttr:$erase, K3_WriteAttr:$write, BoolAttr:$state_v_first,
    I64Attr:$chunk_size);
  let results = (outs K3_F32Tensor<[3]>:$read, K3_F32Tensor<[4]>:$new_state,
    Variadic<K3_F32Tensor<[2, 3]>>:$more);
  let extraClassDeclaration = [{
    // Of `more`; null when absent.
    ::mlir::Value getPseudo();
    ::mlir::Value getWeight();
    ::mlir::Value getNewNormalizerState();
  }];
  let assemblyFormat = [{
    `q` `(` $q `)` `k` `(` $k `)` (`b` `(` $b^ `)`)? (`v` `(` $v^ `)`)?
    (`decay` `(` $decay^ `)`)? (`beta` `(` $beta^ `)`)? (`w` `(` $w^ `)`)?
    (`u` `(` $u^ `)`)? `state` `(` $state `)`
    (`normalizer` `(` $normalizer_state^ `)`)?
    `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

def K3_ChunkOutputOp : K3_ChunkOp<"chunk_output", [AttrSizedOperandSegments]> {
  let summary = "what a chunk's queries read";
  let description = [{
    `result = scale * (read + A pseudo + B p)`, the products being those of a
    chunk: for `delta` and `own_key` A is `gram` and there is no second one; for
    `none` B is `gram` and there is no first one; for `low_rank` A is
    `erase_gram` and B is `gram`. p is the written value, v or beta v. With
    `normalizer_eps` the result is divided by
    `scale * (weight + row sums of gram) + normalizer_eps`, where a row sum
    counts a column by beta for `beta_value` and by 1 otherwise. Kimi Linear
    report, the equation of O.

    Constraints: C1 `read` is [T, HV, V], and `result` has its shape. C2 `gram`
    is [T, HV, chunk_size], and `erase_gram`, given exactly for `low_rank`, has
    its shape. C3 `pseudo` has the shape of `read`, given unless the erase is
    `none`. C4 `v` has the shape of `read`, given exactly for `none` and
    `low_rank`. C5 `beta` is [T, HV], given exactly when the write is
    `beta_value` and there is `v` or a normaliser. C6 `weight` is [T, HV], given
    exactly with `normalizer_eps`. C7 `scale` is finite. C8 `chunk_size` lies in
    [1, 256].

    Example (test/Dialect/K3/chunk_output/doctest.mlir):
    ```mlir
    %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
      seqs(%cu, %slots, %lens)
      {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
       scale = 1.0 : f64, chunk_size = 64 : i64}
      : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
         tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
    ```
  }];
  let arguments = (ins K3_F32Tensor<[3]>:$read, K3_F32Tensor<[3]>:$gram,
    Optional<K3_F32Tensor<[3]>>:$erase_gram,
    Optional<K3_F32Tensor<[3]>>:$pseudo, Optional<K3_FloatTensor<[3]>>:$v,
    Optional<K3_F32Tensor<[2]>>:$beta, Optional<K3_F32Tensor<[2]>>:$weight,
    K3_Index1D:$cu_seqlens, K3_Index1D:$slots, K3_Index1D:$context_lens,
    K3_EraseAttr:$erase, K3_WriteAttr:$write, F64Attr:$scale,
    OptionalAttr<F64Attr>:$normalizer_eps, I64Attr:$chunk_size);
  let results = (outs K3_FloatTensor<[3]>:$result);
  let assemblyFormat = [{
    `read` `(` $read `)` `gram` `(` $gram `)`
    (`erase_gram` `(` $erase_gram^ `)`)? (`pseudo` `(` $pseudo^ `)`)?
    (`v` `(` $v^ `)`)? (`beta` `(` $beta^ `)`)? (`weight` `(` $weight^ `)`)?
    `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // K3_CHUNK_OPS
