// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short convolution in front of the recurrence.

#ifndef K3_CONV_OPS
#define K3_CONV_OPS

include "k3/Dialect/K3/IR/K3Base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3_ShortConvOp : K3_Op<"short_conv", [Pure,
    DeclareOpInterfaceMethods<K3_InPlaceOpInterface>]> {
  let summary = "depthwise causal convolution with carried inputs";
  let description = [{
    `y[t, d] = act(bias[d] + sum_j weight[d, j] * x[t - W + 1 + j, d])` inside
    each sequence; inputs before its first token come from the state, or are
    zero when the sequence is fresh. Sums are fp32.

    The state of a slot holds the last S inputs of every channel, oldest first:
    S = W - 1 (serving engines) or S = W (FLA, Hugging Face).

    Constraints: C1 `x` and `y` are [T, D]. C2 `weight` is [D, W] with 2 <= W <=
    8. C3 `state` is [P, D, S] with S = W - 1 or W, and `new_state` has its type.
    C4 `bias`, when given, is [D]. C5 `slots` and `context_lens` have one type.

    Example (test/Dialect/K3/short_conv/doctest.mlir):
    ```mlir
    %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
      {activation = #k3.activation<silu>}
      : (tensor<?x256xbf16>, tensor<256x4xf32>, tensor<?x256x3xbf16>,
         tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
      -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>)
    ```
  }];
  let arguments = (ins K3_FloatTensor<[2]>:$x, K3_FloatTensor<[2]>:$weight,
                       K3_FloatTensor<[3]>:$state,
                       K3_Index1D:$cu_seqlens, K3_Index1D:$slots,
                       K3_Index1D:$context_lens,
                       Optional<K3_FloatTensor<[1]>>:$bias,
                       K3_ActivationAttr:$activation);
  let results = (outs K3_FloatTensor<[2]>:$y, K3_FloatTensor<[3]>:$new_state);
  let assemblyFormat = [{
    $x `,` $weight `,` $state `seqs` `(` $cu_seqlens `,` $slots `,`
    $context_lens `)` (`bias` `(` $bias^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // K3_CONV_OPS
