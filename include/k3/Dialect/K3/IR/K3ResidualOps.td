// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The residual stream: plain sums and attention residuals.

#ifndef K3_RESIDUAL_OPS
#define K3_RESIDUAL_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_AddOp : K3_Op<"add", [Pure, K3_RowWise, Commutative]> {
  let summary = "elementwise sum";
  let description = [{
    `result = lhs + rhs` in fp32, rounded once.

    Constraints: C1 `lhs`, `rhs` and `result` have one shape.

    Example (test/Dialect/K3/add/doctest.mlir):
    ```mlir
    %y = k3.add %a, %b
      : (tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$lhs, K3_FloatTensor<[2]>:$rhs);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_AttnResOp : K3_Op<"attn_res", [Pure, K3_RowWise]> {
  let summary = "softmax mix of earlier block sums (attention residual)";
  let description = [{
    With sources `V = [blocks..., prefix]`, in fp32:
    `s_i = sum_d V_i[d] * rsqrt(mean(V_i^2) + eps) * norm_weight[d] *
    query[d]`; `result = sum_i softmax(s)_i V_i`, of the raw V (Attention
    Residuals, block form; no 1/sqrt(d)).

    Constraints: C1 `prefix`, every block and `result` have one shape [T, D]. C2
    `norm_weight` and `query` are [D]. C3 `eps` is positive. C4 without a block
    the op is the identity and folds away.

    Example (test/Dialect/K3/attn_res/doctest.mlir):
    ```mlir
    %y = k3.attn_res %p, %gamma, %w blocks(%b0, %b1) {eps = 1.0e-5 : f64}
      : (tensor<?x192xbf16>, tensor<192xbf16>, tensor<192xbf16>,
         tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$prefix,
                       K3_FloatTensor<[1]>:$norm_weight,
                       K3_FloatTensor<[1]>:$query,
                       Variadic<K3_FloatTensor<[2]>>:$blocks, F64Attr:$eps);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $prefix `,` $norm_weight `,` $query `blocks` `(` $blocks `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // K3_RESIDUAL_OPS
