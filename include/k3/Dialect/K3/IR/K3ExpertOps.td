// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routing and the routed experts.

#ifndef K3_EXPERT_OPS
#define K3_EXPERT_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_GluKind : K3_Enum<"GluKind", "gated linear unit of an MLP", [
  I32EnumAttrCase<"Situ", 0, "situ">,
  I32EnumAttrCase<"Swiglu", 1, "swiglu">]>;
def K3_GluKindAttr : K3_EnumAttr<K3_GluKind, "glu">;

def K3_RouterOp : K3_Op<"router", [Pure, K3_RowWise]> {
  let summary = "top-k experts and their weights";
  let description = [{
    `s = sigmoid(logits)` or `softmax(logits)` over the experts (`activation`);
    the choice is by `s + bias`: with G = `num_expert_group` > 1 only experts of
    the `topk_group` groups with the largest sum of their two best biased
    scores can be chosen. `ids` holds the `top_k` chosen, best first, equal
    scores by lower index. `weights[j] = s[ids[j]]` (unbiased), divided by
    their sum + 1e-20 when `renormalize`, times `routed_scaling_factor`. A NaN
    score is never preferred to a number. Everything is fp32 (DeepSeek-V3
    report, section 2.1.2; Kimi K3 report).

    Constraints: C1 `logits` is [T, E], `bias` [E], `ids` and `weights` are
    [T, top_k]. C2 1 <= `top_k` <= E <= 4096. C3 G divides E, 1 <= `topk_group` <=
    G, E / G >= 2 when G > 1, and the chosen groups hold `top_k` experts. C4
    `activation` is `sigmoid` or `softmax`.

    Example (test/Dialect/K3/router/doctest.mlir):
    ```mlir
    %ids, %w = k3.router %logits, %bias
      {activation = "sigmoid", num_expert_group = 1, renormalize = true,
       routed_scaling_factor = 1.0 : f64, top_k = 4, topk_group = 1}
      : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
    ```
  }];
  let arguments = (ins K3_F32Tensor<[2]>:$logits, K3_F32Tensor<[1]>:$bias,
                       StrAttr:$activation, I64Attr:$top_k,
                       I64Attr:$num_expert_group, I64Attr:$topk_group,
                       BoolAttr:$renormalize, F64Attr:$routed_scaling_factor);
  let results = (outs TensorRankOf<[I32], [2]>:$ids, K3_F32Tensor<[2]>:$weights);
  let assemblyFormat = [{
    $logits `,` $bias attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_ExpertWeight : AnyTypeOf<[TensorRankOf<[BF16, F32, I8], [3]>]>;

def K3_LatentExpertsOp : K3_Op<"latent_experts", [Pure, K3_RowWise]> {
  let summary = "weighted sum of the chosen experts";
  let description = [{
    `e_j = w2[id_j] glu(w1[id_j] z, w3[id_j] z)`; `result = sum_j weights[j] *
    e_j`, summed in fp32 in the order of `ids`, rounded once. The two products,
    the unit and `e_j` are rounded to the element type of `z` (nothing is
    rounded for F32). `w1` is the gate, `w3` the other side.

    MXFP4 weights are I8 [E, N, K / 2] (input 2j in the low nibble of byte j)
    with E8M0 `scales` I8 [E, N, K / 32] for w1, w3, w2: value = e2m1(nibble) *
    2^(scale - 127) (OCP Microscaling 1.0).

    Constraints: C1 `z` and `result` are [T, L]; `ids` and `weights` are
    [T, top_k]. C2 `w1` and `w3` are [E, F, L], `w2` is [E, L, F]. C3 three
    `scales` are given exactly when the weights are I8; then L and F are
    multiples of 32. C4 `beta` is given exactly for `situ`, `linear_beta` for
    `situ` only, both positive.

    Example (test/Dialect/K3/latent_experts/doctest.mlir):
    ```mlir
    %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
      scales(%s1, %s3, %s2)
      {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
      : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
         tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
         tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
      -> tensor<?x96xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$z, TensorRankOf<[I32], [2]>:$ids,
                       K3_F32Tensor<[2]>:$weights, K3_ExpertWeight:$w1,
                       K3_ExpertWeight:$w3, K3_ExpertWeight:$w2,
                       Variadic<TensorRankOf<[I8], [3]>>:$scales,
                       K3_GluKindAttr:$glu, OptionalAttr<F64Attr>:$beta,
                       OptionalAttr<F64Attr>:$linear_beta);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $z `,` $ids `,` $weights `experts` `(` $w1 `,` $w3 `,` $w2 `)`
    (`scales` `(` $scales^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_ExpertUpOp : K3_Op<"expert_up", [Pure, K3_RowWise]> {
  let summary = "first half of the chosen experts";
  let description = [{
    `result[t, j] = glu(w1[ids[t, j]] z[t], w3[ids[t, j]] z[t])`, with the
    weights, scales and roundings of `k3.latent_experts`. `packing` is the
    memory layout of the weights (of MXFP4 bytes; scales are then
    `scale_panels`), set by --k3-pack-weights.

    Constraints: C1 `z` is [T, L], `ids` [T, top_k], `result` [T, top_k, F]. C2
    `w1` and `w3` are [E, F, L]. C3 two `scales` are given exactly when the
    weights are I8; then L is a multiple of 32. C4 as for `k3.latent_experts`.

    Example (test/Dialect/K3/expert_up/doctest.mlir):
    ```mlir
    %h = k3.expert_up %z, %ids experts(%w1, %w3) {glu = #k3.glu<swiglu>}
      : (tensor<?x96xf32>, tensor<?x2xi32>, tensor<8x48x96xbf16>,
         tensor<8x48x96xbf16>) -> tensor<?x2x48xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$z, TensorRankOf<[I32], [2]>:$ids,
                       K3_ExpertWeight:$w1, K3_ExpertWeight:$w3,
                       Variadic<TensorRankOf<[I8], [3]>>:$scales,
                       K3_GluKindAttr:$glu, OptionalAttr<F64Attr>:$beta,
                       OptionalAttr<F64Attr>:$linear_beta,
                       OptionalAttr<K3_PackingAttr>:$packing);
  let results = (outs K3_FloatTensor<[3]>:$result);
  let assemblyFormat = [{
    $z `,` $ids `experts` `(` $w1 `,` $w3 `)` (`scales` `(` $scales^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_ExpertDownOp : K3_Op<"expert_down", [Pure, K3_RowWise]> {
  let summary = "second half of the chosen experts and their weighted sum";
  let description = [{
    `result[t] = sum_j weights[t, j] * round(w2[ids[t, j]] h[t, j])`, summed in
    fp32 in the order of `ids`, rounded once; `round` is to the element type of
    `h`. `packing` is as for `k3.expert_up`.

    Constraints: C1 `h` is [T, top_k, F], `ids` and `weights` [T, top_k],
    `result` [T, L]. C2 `w2` is [E, L, F]. C3 one `scales` is given exactly when
    the weights are I8; then F is a multiple of 32.

    Example (test/Dialect/K3/expert_down/doctest.mlir):
    ```mlir
    %y = k3.expert_down %h, %ids, %w experts(%w2)
      : (tensor<?x2x48xf32>, tensor<?x2xi32>, tensor<?x2xf32>,
         tensor<8x96x48xbf16>) -> tensor<?x96xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[3]>:$h, TensorRankOf<[I32], [2]>:$ids,
                       K3_F32Tensor<[2]>:$weights, K3_ExpertWeight:$w2,
                       Variadic<TensorRankOf<[I8], [3]>>:$scales,
                       OptionalAttr<K3_PackingAttr>:$packing);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $h `,` $ids `,` $weights `experts` `(` $w2 `)` (`scales` `(` $scales^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // K3_EXPERT_OPS
