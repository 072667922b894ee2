// RUN: k3-compile %s --compile-to=artefact | FileCheck %s

// Weights, states and symbols are numbered once; a launch lists the buffers of
// its arguments, then of its results; results are written where they are
// returned.

// CHECK: precision f32
// CHECK-NEXT: symbols T, bounds, N, slots; slots = slots
// CHECK-NEXT: metadata eos_token_id = 7
// CHECK-NEXT: metadata vocab_size = 32
module attributes {k3.metadata = {vocab_size = "32", eos_token_id = "7"}} {

// CHECK-NEXT: weight w 64x32xbf16 pair_panels 4096 bytes from model.w 64x32xbf16
k3.weight @w : tensor<64x32xbf16> from "model.w" : tensor<64x32xbf16>
// CHECK-NEXT: weight conv 64x4xf32 1024 bytes from conv 64x1x4xbf16
k3.weight @conv : tensor<64x4xf32> from "conv" : tensor<64x1x4xbf16>
// An unread weight is not loaded.
// CHECK-NOT: weight unread
k3.weight @unread : tensor<64x4xf32> from "unread" : tensor<64x4xf32>
// CHECK-NEXT: state s 64x3xf32
k3.state @s : tensor<64x3xf32>

// CHECK-NEXT: kernel linear scratch {{[0-9]+}}: linear
// CHECK-NEXT: kernel short_conv scratch {{[0-9]+}}: short_conv
// CHECK-NEXT: entry step
func.func @step(%x: tensor<?x32xf32> {k3.name = "x"},
                %cu: tensor<?xi32> {k3.name = "cu_seqlens"},
                %slots: tensor<?xi32> {k3.name = "slots"},
                %lens: tensor<?xi32> {k3.name = "context_lens"})
    -> (tensor<?x64xf32> {k3.name = "y"}) {
  // CHECK-NEXT: input x Tx32xf32
  // CHECK-NEXT: input cu_seqlens boundsxi32 cu_seqlens
  // CHECK-NEXT: input slots Nxi32 slots
  // CHECK-NEXT: input context_lens Nxi32 context_lens
  // CHECK-NEXT: output y Tx64xf32
  // CHECK-NEXT: block 256 * T + 0
  %w = k3.get_weight @w : tensor<64x32xbf16>
  %conv = k3.get_weight @conv : tensor<64x4xf32>
  %s0 = k3.get_state @s : tensor<?x64x3xf32>
  // CHECK-NEXT: launch linear(input 0, weight 0, arena 0) dims({{.*}}T{{.*}}) grid T / {{[0-9]+}} * {{[0-9]+}} # layers.0.proj
  %a = k3.linear %x, %w
    : (tensor<?x32xf32>, tensor<64x32xbf16>) -> tensor<?x64xf32>
    loc("layers.0.proj")
  // CHECK-NEXT: launch short_conv(arena 0, weight 1, state 0, input 1, input 2, input 3, output 0, state 0)
  %y, %s1 = k3.short_conv %a, %conv, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x64xf32>, tensor<64x4xf32>, tensor<?x64x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x64xf32>, tensor<?x64x3xf32>)
  k3.set_state @s, %s1 : tensor<?x64x3xf32>
  return %y : tensor<?x64xf32>
}
}
