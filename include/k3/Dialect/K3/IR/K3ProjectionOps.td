// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products with weights, and views of their results.

#ifndef K3_PROJECTION_OPS
#define K3_PROJECTION_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_LinearOp : K3_Op<"linear", [Pure, K3_RowWise]> {
  let summary = "product with a weight, out x in as in the checkpoint";
  let description = [{
    `result[t, n] = sum_k x[t, k] * weight[n, k]`. Products are exact or fp32,
    the sum is fp32 in one fixed order, rounded once to the result's type.
    `packing` is the memory layout of `weight`, set by --k3-pack-weights on the
    declaration and on all its readers.

    Constraints: C1 `x` is [T, K], `weight` [N, K], `result` [T, N].

    Example (test/Dialect/K3/linear/doctest.mlir):
    ```mlir
    %y = k3.linear %x, %w
      : (tensor<?x192xbf16>, tensor<256x192xbf16>) -> tensor<?x256xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$x, K3_FloatTensor<[2]>:$weight,
                       OptionalAttr<K3_PackingAttr>:$packing);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $x `,` $weight attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_ReshapeOp : K3_Op<"reshape", [Pure, K3_RowWise]> {
  let summary = "another view of each row, e.g. [T, H * K] as [T, H, K]";
  let description = [{
    The elements of a row in the same order under another shape. Free.

    Constraints: C1 both have one element type, the same leading dimension and
    as many elements a row. C2 a reshape to the same type folds away.

    Example (test/Dialect/K3/reshape/doctest.mlir):
    ```mlir
    %y = k3.reshape %x : (tensor<?x256xbf16>) -> tensor<?x2x128xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2, 3]>:$x);
  let results = (outs K3_FloatTensor<[2, 3]>:$result);
  let assemblyFormat = [{
    $x attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def K3_SliceOp : K3_Op<"slice", [Pure, K3_RowWise]> {
  let summary = "a range of the last dimension";
  let description = [{
    `result[.., d] = x[.., offset + d]`.

    Constraints: C1 all but the last dimension and the element type agree. C2
    the range lies inside the last dimension of `x`.

    Example (test/Dialect/K3/slice/doctest.mlir):
    ```mlir
    %y = k3.slice %x {offset = 64} : (tensor<?x80xbf16>) -> tensor<?x16xbf16>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2, 3]>:$x, I64Attr:$offset);
  let results = (outs K3_FloatTensor<[2, 3]>:$result);
  let assemblyFormat = [{
    $x attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // K3_PROJECTION_OPS
