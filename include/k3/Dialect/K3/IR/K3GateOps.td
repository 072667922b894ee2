// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps from logits to decays, strengths and gates, and elementwise products.

#ifndef K3_GATE_OPS
#define K3_GATE_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_GateMap : K3_Enum<"GateMap", "map from a logit to a log-decay", [
  I32EnumAttrCase<"Bounded", 0, "bounded">,
  I32EnumAttrCase<"Softplus", 1, "softplus">,
  I32EnumAttrCase<"LogSigmoid", 2, "log_sigmoid">]>;
def K3_GateMapAttr : K3_EnumAttr<K3_GateMap, "gate_map">;

def K3_GateOp : K3_Op<"gate", [Pure, K3_RowWise, AttrSizedOperandSegments]> {
  let summary = "log-decay from a logit";
  let description = [{
    With `z' = z + dt_bias` and `a = exp(A_log)` (1 when absent), in fp32:
    - `bounded`: `lower_bound * sigmoid(a * z')` (Kimi K3 report, eq. 5);
    - `softplus`: `-a * log1p(exp(z'))` (Kimi Linear, Gated DeltaNet, Mamba2);
    - `log_sigmoid`: `a * log(sigmoid(z')) / normalizer` (GLA).

    Constraints: C1 `z` is [T, H, K] (per channel) or [T, H] (per head), and
    `result` has its shape. C2 `A_log` is [H]. C3 `dt_bias` is [H, K] or [H]. C4
    `lower_bound` is given for `bounded` only and lies in [-5, 0). C5
    `normalizer` is given for `log_sigmoid` only and is positive.

    Example (test/Dialect/K3/gate/doctest.mlir):
    ```mlir
    %g = k3.gate %z a_log(%a) dt_bias(%b)
      {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
      : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
      -> tensor<?x2x128xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2, 3]>:$z,
                       Optional<K3_FloatTensor<[1]>>:$A_log,
                       Optional<K3_FloatTensor<[1, 2]>>:$dt_bias,
                       K3_GateMapAttr:$map,
                       OptionalAttr<F64Attr>:$lower_bound,
                       OptionalAttr<F64Attr>:$normalizer);
  let results = (outs K3_F32Tensor<[2, 3]>:$result);
  let assemblyFormat = [{
    $z (`a_log` `(` $A_log^ `)`)? (`dt_bias` `(` $dt_bias^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_SigmoidOp : K3_Op<"sigmoid", [Pure, K3_RowWise]> {
  let summary = "scaled sigmoid, e.g. the write strength beta";
  let description = [{
    `result = scale * sigmoid(x)` in fp32. Scale 2 admits negative eigenvalues.

    Constraints: C1 `result` has the shape of `x`. C2 `scale` is finite and
    positive.

    Example (test/Dialect/K3/sigmoid/doctest.mlir):
    ```mlir
    %y = k3.sigmoid %x {scale = 1.0 : f64} : (tensor<?x2xbf16>) -> tensor<?x2xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2, 3]>:$x, F64Attr:$scale);
  let results = (outs K3_FloatTensor<[2, 3]>:$result);
  let assemblyFormat = [{
    $x attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_OutputGateOp : K3_Op<"output_gate", [Pure, K3_RowWise]> {
  let summary = "product with an activated gate";
  let description = [{
    `result = x * act(gate)` in fp32, rounded once.

    Constraints: C1 `x`, `gate` and `result` have one shape. C2 the activation is
    not `none`.

    Example (test/Dialect/K3/output_gate/doctest.mlir):
    ```mlir
    %y = k3.output_gate %x, %g {activation = #k3.activation<sigmoid>}
      : (tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2, 3]>:$x, K3_FloatTensor<[2, 3]>:$gate,
                       K3_ActivationAttr:$activation);
  let results = (outs K3_FloatTensor<[2, 3]>:$result);
  let assemblyFormat = [{
    $x `,` $gate attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_SituGluOp : K3_Op<"situ_glu", [Pure, K3_RowWise]> {
  let summary = "SiTU gated linear unit";
  let description = [{
    `beta * tanh(gate / beta) * sigmoid(gate) * linear_beta * tanh(up /
    linear_beta)` in fp32, rounded once; the linear side is `up` itself when
    `linear_beta` is absent. K3: beta 4, linear_beta 25.

    Constraints: C1 `gate`, `up` and `result` have one shape. C2 `beta` and
    `linear_beta` are positive.

    Example (test/Dialect/K3/situ_glu/doctest.mlir):
    ```mlir
    %y = k3.situ_glu %g, %u {beta = 4.0 : f64, linear_beta = 25.0 : f64}
      : (tensor<?x512xbf16>, tensor<?x512xbf16>) -> tensor<?x512xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$gate, K3_FloatTensor<[2]>:$up,
                       F64Attr:$beta, OptionalAttr<F64Attr>:$linear_beta);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $gate `,` $up attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_SwigluOp : K3_Op<"swiglu", [Pure, K3_RowWise]> {
  let summary = "SiLU gated linear unit";
  let description = [{
    `gate * sigmoid(gate) * up` in fp32, rounded once.

    Constraints: C1 `gate`, `up` and `result` have one shape.

    Example (test/Dialect/K3/swiglu/doctest.mlir):
    ```mlir
    %y = k3.swiglu %g, %u
      : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x256xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$gate, K3_FloatTensor<[2]>:$up);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $gate `,` $up attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // K3_GATE_OPS
