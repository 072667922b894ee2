// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From token ids to rows, and from rows to the ones that are read out.

#ifndef K3_EMBEDDING_OPS
#define K3_EMBEDDING_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_EmbeddingOp : K3_Op<"embedding", [Pure, K3_RowWise]> {
  let summary = "rows of a table";
  let description = [{
    `result[t] = table[ids[t]]`, converted to the result's element type. An id
    outside the table is refused by the runtime before anything runs.

    Constraints: C1 `result` is [T, D] for `ids` [T] and `table` [vocab, D].

    Example (test/Dialect/K3/embedding/doctest.mlir):
    ```mlir
    %x = k3.embedding %ids, %table
      : (tensor<?xi32>, tensor<320x192xbf16>) -> tensor<?x192xbf16>
    ```
  }];
  let arguments = (ins K3_Index1D:$ids, K3_FloatTensor<[2]>:$table);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $ids `,` $table attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def K3_LastTokenOp : K3_Op<"last_token", [Pure]> {
  let summary = "the last row of every sequence";
  let description = [{
    `result[n] = x[cu_seqlens[n + 1] - 1]`; zeros for an empty sequence.

    Constraints: C1 `result` has the row and element type of `x`.

    Example (test/Dialect/K3/last_token/doctest.mlir):
    ```mlir
    %y = k3.last_token %x, %cu
      : (tensor<?x192xf32>, tensor<?xi32>) -> tensor<?x192xf32>
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$x, K3_Index1D:$cu_seqlens);
  let results = (outs K3_FloatTensor<[2]>:$result);
  let assemblyFormat = [{
    $x `,` $cu_seqlens attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // K3_EMBEDDING_OPS
