// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that become one kernel, and launches of outlined kernels.

#ifndef K3_KERNEL_OPS
#define K3_KERNEL_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def K3_KernelOp : K3_Op<"kernel", [IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlock, DeclareOpInterfaceMethods<K3_InPlaceOpInterface>]> {
  let summary = "ops that run as one kernel";
  let description = [{
    The region's arguments are the operands; its ops are k3 ops; `k3.yield`
    gives the results. `update_pairs` lists (operand, result) pairs that share
    memory.

    Constraints: C1 argument types are the operand types, yielded types the
    result types. C2 the region holds k3 ops only, none of them a kernel, a
    launch, or access to a weight or state. C3 each pair of `update_pairs` names an
    operand and a result of one type.

    Example (test/Dialect/K3/kernel/doctest.mlir):
    ```mlir
    %y = k3.kernel(%x, %w) {update_pairs = array<i64>} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> {
    ^bb0(%a: tensor<?x8xf32>, %b: tensor<8xf32>):
      %n = k3.rms_norm %a, %b {eps = 1.0e-5 : f64, round_before_weight = true}
        : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
      k3.yield %n : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       DenseI64ArrayAttr:$update_pairs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
}

def K3_YieldOp : K3_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "results of a kernel";
  let description = [{
    Ends the region of `k3.kernel` and the body of an outlined kernel.

    Example: see `k3.kernel`.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def K3_KernelFuncOp : K3_Op<"kernel_func", [Symbol, IsolatedFromAbove,
    SingleBlock]> {
  let summary = "an outlined kernel";
  let description = [{
    What a `k3.kernel` becomes once equal ones are merged. Its body has the form
    of the region of `k3.kernel`.

    Constraints: C1 as C2 and C3 of `k3.kernel`.

    Example (test/Dialect/K3/kernel_func/doctest.mlir):
    ```mlir
    k3.kernel_func @norm attributes {update_pairs = array<i64>} {
    ^bb0(%a: tensor<?x8xf32>, %b: tensor<8xf32>):
      %n = k3.rms_norm %a, %b {eps = 1.0e-5 : f64, round_before_weight = true}
        : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
      k3.yield %n : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DenseI64ArrayAttr:$update_pairs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def K3_LaunchOp : K3_Op<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<K3_InPlaceOpInterface>]> {
  let summary = "run of an outlined kernel";
  let description = [{
    Constraints: C1 the symbol is a `k3.kernel_func` whose argument types are
    the operands' and whose yielded types are the results'.

    Example (test/Dialect/K3/launch/doctest.mlir):
    ```mlir
    %y = k3.launch @norm(%x, %w) {update_pairs = array<i64>}
      : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<AnyRankedTensor>:$inputs,
                       DenseI64ArrayAttr:$update_pairs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}

#endif // K3_KERNEL_OPS
