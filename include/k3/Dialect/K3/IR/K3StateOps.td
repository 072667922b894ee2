// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of weights and per-sequence state, and access to them.

#ifndef K3_STATE_OPS
#define K3_STATE_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_WeightOp : K3_Op<"weight", [Symbol]> {
  let summary = "declaration of a weight by its checkpoint name";
  let description = [{
    `type` is what ops see; `stored` is the type of one tensor `source` in the
    checkpoint. The loader converts the element type and
    - reshapes when both have as many elements ([D, 1, W] -> [D, W]),
    - takes the leading elements when `prefix` is set (padded A_log),
    - stacks `stack` tensors along a new leading dimension, with `{}` in
      `source` standing for 0, 1, ... (experts).
    `packing` is the memory layout, chosen by --k3-pack-weights and described in
    runtime/format/Artefact.fbs.

    Constraints: C1 `type` and `stored` are static ranked tensors of BF16, F32,
    F16 or I8. C2 the element counts agree, with `prefix` and `stack` taken
    into account. C3 `source` has one `{}` exactly when `stack` is given. C4
    I8 tensors keep their element type. C5 `packing` fits `type`: `pair_panels`
    BF16, `panels` F32, the other two I8, rank 2 or more.

    Example (test/Dialect/K3/weight/doctest.mlir):
    ```mlir
    k3.weight @layers.0.self_attn.A_log : tensor<2xf32>
      from "model.layers.0.self_attn.A_log" : tensor<8xf32> {prefix}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                       StrAttr:$source, TypeAttr:$stored, UnitAttr:$prefix,
                       OptionalAttr<I64Attr>:$stack,
                       OptionalAttr<K3_PackingAttr>:$packing);
  let assemblyFormat = [{
    $sym_name `:` $type `from` $source `:` $stored attr-dict
  }];
  let hasVerifier = 1;
}

def K3_GetWeightOp : K3_Op<"get_weight", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "value of a declared weight";
  let description = [{
    Constraints: C1 the symbol is a `k3.weight` of the result's type.

    Example (test/Dialect/K3/get_weight/doctest.mlir):
    ```mlir
    %w = k3.get_weight @lm_head : tensor<320x192xbf16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

def K3_StateOp : K3_Op<"state", [Symbol]> {
  let summary = "declaration of per-sequence memory";
  let description = [{
    `type` is what one slot holds. A leading `?` is the slot's token capacity (a
    cache); everything else is static.

    Constraints: C1 `type` is a ranked tensor of BF16 or F32 whose dimensions
    are static and positive, but for a leading dynamic one.

    Example (test/Dialect/K3/state/doctest.mlir):
    ```mlir
    k3.state @layers.3.cache : tensor<?x80xbf16>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def K3_GetStateOp : K3_Op<"get_state", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemRead]>]> {
  let summary = "the pool of a declared state";
  let description = [{
    Constraints: C1 the symbol is a `k3.state`, and the result is its type with
    a leading `?` for the pool.

    Example (test/Dialect/K3/get_state/doctest.mlir):
    ```mlir
    %s = k3.get_state @layers.0.kda_state : tensor<?x2x128x128xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$state attr-dict `:` type($result)";
}

def K3_SetStateOp : K3_Op<"set_state", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite]>]> {
  let summary = "new value of a declared state's pool";
  let description = [{
    `value` is what an in-place op made from the pool's old value, so nothing is
    copied.

    Constraints: C1 as for `k3.get_state`.

    Example (test/Dialect/K3/set_state/doctest.mlir):
    ```mlir
    k3.set_state @layers.0.kda_state, %s1 : tensor<?x2x128x128xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state, AnyRankedTensor:$value);
  let assemblyFormat = "$state `,` $value attr-dict `:` type($value)";
}

#endif // K3_STATE_OPS
