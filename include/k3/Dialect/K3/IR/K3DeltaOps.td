// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recurrence of the whole family.

#ifndef K3_DELTA_OPS
#define K3_DELTA_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_Decay : K3_Enum<"Decay", "granularity of the decay", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"HeadConstant", 1, "head_constant">,
  I32EnumAttrCase<"Head", 2, "head">,
  I32EnumAttrCase<"Channel", 3, "channel">]>;
def K3_DecayAttr : K3_EnumAttr<K3_Decay, "decay">;

def K3_Erase : K3_Enum<"Erase", "what is erased before the write", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Delta", 1, "delta">,
  I32EnumAttrCase<"OwnKey", 2, "own_key">,
  I32EnumAttrCase<"LowRank", 3, "low_rank">]>;
def K3_EraseAttr : K3_EnumAttr<K3_Erase, "erase">;

def K3_Write : K3_Enum<"Write", "what is written", [
  I32EnumAttrCase<"Value", 0, "value">,
  I32EnumAttrCase<"BetaValue", 1, "beta_value">,
  I32EnumAttrCase<"TiedKey", 2, "tied_key">]>;
def K3_WriteAttr : K3_EnumAttr<K3_Write, "write">;

def K3_ReadState : K3_Enum<"ReadState", "the state that the erase reads", [
  I32EnumAttrCase<"Decayed", 0, "decayed">,
  I32EnumAttrCase<"Undecayed", 1, "undecayed">]>;
def K3_ReadStateAttr : K3_EnumAttr<K3_ReadState, "read_state">;

def K3_DeltaRuleOp : K3_Op<"delta_rule", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<K3_InPlaceOpInterface>]> {
  let summary = "linear attention with decay, erase and write";
  let description = [{
    Per value head, with S [K, V] in fp32 and one step a token:

    - decay: `D = diag(exp(g))`; `g` is [HV] for `head_constant`, [T, HV] for
      `head`, [T, HV, K] for `channel`, absent for `none`;
    - read: `R = D S` (`decayed`) or `R = S` (`undecayed`);
    - erase: `S' = D S + x (y^T R)` with (x, y) = (-beta k, k) for `delta`,
      (-beta k, a) for `own_key`, (b, a) for `low_rank`, nothing for `none`;
    - write: `S'' = S' + w v^T` with w = k for `value`, beta k for `beta_value`,
      1 - exp(g) for `tied_key` (no `k` is given);
    - output: `o = scale * S''^T q`; with `normalizer_eps` also
      `z <- D z + w` and `o <- o / (scale * z^T q + normalizer_eps)`.

    Value head j uses query and key head j / (HV / H). The table in
    docs/Numerics.md names the members: linear attention, RetNet, Mamba2, GLA,
    HGRN2, DeltaNet, Gated DeltaNet, Comba, RWKV-7, DPLR, KDA. KDA (Kimi Linear
    report, eq. 1 with the decay applied first) is `channel`, `delta`,
    `beta_value`, `decayed`.

    Constraints: C1 `q` and `k` are [T, H, K]. C2 `v` and `o` are [T, HV, V] and H
    divides HV. C3 `g` is F32 of the shape that `decay` asks for, and is given
    unless `decay` is `none`. C4 `beta` is [T, HV], given exactly when the erase
    is `delta` or `own_key` or the write is `beta_value`. C5 `a` is [T, H, K] or
    [T, HV, K], given exactly for `own_key` and `low_rank`; `b` likewise for
    `low_rank`. C6 `k` is given unless the write is `tied_key`, which needs
    `channel` decay and no `delta` or `own_key` erase. C7 `state` is F32
    [P, HV, K, V], or [P, HV, V, K] with `state_v_first`, and `new_state` has its
    type. C8 `normalizer_state` is F32 [P, HV, K], given exactly with
    `normalizer_eps`, and `new_normalizer_state` has its type. C9 `scale` is
    finite. C10 K and V are multiples of 8 up to 512, or both below 8.

    Example (test/Dialect/K3/delta_rule/doctest.mlir):
    ```mlir
    %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
      state(%s0) seqs(%cu, %slots, %lens)
      {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
       write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
       scale = 1.0 : f64, state_v_first = true}
      : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
         tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
         tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
      -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
    ```
  }];
  let arguments = (ins
    K3_FloatTensor<[3]>:$q, Optional<K3_FloatTensor<[3]>>:$k,
    K3_FloatTensor<[3]>:$v, Optional<K3_F32Tensor<[1, 2, 3]>>:$g,
    Optional<K3_F32Tensor<[2]>>:$beta, Optional<K3_FloatTensor<[3]>>:$a,
    Optional<K3_FloatTensor<[3]>>:$b, K3_F32Tensor<[4]>:$state,
    Optional<K3_F32Tensor<[3]>>:$normalizer_state,
    K3_Index1D:$cu_seqlens, K3_Index1D:$slots, K3_Index1D:$context_lens,
    K3_DecayAttr:$decay, K3_EraseAttr:$erase, K3_WriteAttr:$write,
    K3_ReadStateAttr:$read_state, F64Attr:$scale, BoolAttr:$state_v_first,
    OptionalAttr<F64Attr>:$normalizer_eps);
  let results = (outs K3_FloatTensor<[3]>:$o, K3_F32Tensor<[4]>:$new_state,
                      Optional<K3_F32Tensor<[3]>>:$new_normalizer_state);
  let assemblyFormat = [{
    `q` `(` $q `)` (`k` `(` $k^ `)`)? `v` `(` $v `)` (`g` `(` $g^ `)`)?
    (`beta` `(` $beta^ `)`)? (`a` `(` $a^ `)`)? (`b` `(` $b^ `)`)?
    `state` `(` $state `)` (`normalizer` `(` $normalizer_state^ `)`)?
    `seqs` `(` $cu_seqlens `,` $slots `,` $context_lens `)` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // K3_DELTA_OPS
