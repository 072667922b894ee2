// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations over the last dimension; statistics in fp32.

#ifndef K3_NORM_OPS
#define K3_NORM_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_RMSNormOp : K3_Op<"rms_norm", [Pure, K3_RowWise]> {
  let summary = "root-mean-square norm";
  let description = [{
    `n = x * rsqrt(mean(x^2) + eps)` over the last dimension D, in fp32;
    `result = n * weight`. With `round_before_weight` n is rounded to the
    element type of `x` before the product (Hugging Face's KimiRMSNorm).

    Constraints: C1 `result` has the shape of `x`. C2 `weight` is [D]. C3 `eps`
    is positive.

    Example (test/Dialect/K3/rms_norm/doctest.mlir):
    ```mlir
    %y = k3.rms_norm %x, %w {eps = 1.0e-5 : f64, round_before_weight = true}
      : (tensor<?x192xbf16>, tensor<192xbf16>) -> tensor<?x192xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2, 3]>:$x, K3_FloatTensor<[1]>:$weight,
                       F64Attr:$eps, BoolAttr:$round_before_weight);
  let results = (outs K3_FloatTensor<[2, 3]>:$result);
  let assemblyFormat = [{
    $x `,` $weight attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_GatedRMSNormOp : K3_Op<"gated_rms_norm", [Pure, K3_RowWise]> {
  let summary = "root-mean-square norm of each head, then an activated gate";
  let description = [{
    `result = x * rsqrt(mean(x^2) + eps) * weight * act(gate)` over the last
    dimension V of [T, H, V]; all of it in fp32, rounded once at the end. K3 and
    Kimi Linear use the sigmoid, Gated DeltaNet the SiLU.

    Constraints: C1 `x`, `gate` and `result` have one shape. C2 `weight` is [V].
    C3 `eps` is positive.

    Example (test/Dialect/K3/gated_rms_norm/doctest.mlir):
    ```mlir
    %y = k3.gated_rms_norm %x, %g, %w
      {activation = #k3.activation<sigmoid>, eps = 1.0e-5 : f64}
      : (tensor<?x2x128xf32>, tensor<?x2x128xbf16>, tensor<128xf32>)
      -> tensor<?x2x128xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[3]>:$x, K3_FloatTensor<[3]>:$gate,
                       K3_FloatTensor<[1]>:$weight, F64Attr:$eps,
                       K3_ActivationAttr:$activation);
  let results = (outs K3_FloatTensor<[3]>:$result);
  let assemblyFormat = [{
    $x `,` $gate `,` $weight attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_L2NormOp : K3_Op<"l2_norm", [Pure, K3_RowWise]> {
  let summary = "L2 norm with a scale";
  let description = [{
    `result = x * rsqrt(sum(x^2) + eps) * scale` over the last dimension, in
    fp32. `eps` is added to the sum of squares, not to its mean.

    Constraints: C1 `result` has the shape of `x`. C2 `eps` is positive. C3
    `scale` is finite and not zero.

    Example (test/Dialect/K3/l2_norm/doctest.mlir):
    ```mlir
    %y = k3.l2_norm %x {eps = 1.0e-6 : f64, scale = 1.0 : f64}
      : (tensor<?x2x128xbf16>) -> tensor<?x2x128xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2, 3]>:$x, F64Attr:$eps, F64Attr:$scale);
  let results = (outs K3_FloatTensor<[2, 3]>:$result);
  let assemblyFormat = [{
    $x attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // K3_NORM_OPS
