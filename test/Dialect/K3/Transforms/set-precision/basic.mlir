// RUN: k3-opt %s --k3-set-precision=precision=f32 | FileCheck %s
// RUN: k3-opt %s --k3-set-precision=precision=bf16 | FileCheck %s --check-prefix=BF16

// CHECK: k3.state @conv : tensor<8x3xf32>
// BF16: k3.state @conv : tensor<8x3xbf16>
k3.state @conv : tensor<8x3xbf16>
// CHECK: k3.weight @w : tensor<8x8xbf16>
k3.weight @w : tensor<8x8xbf16> from "w" : tensor<8x8xbf16>

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %{{.*}}: tensor<?x8xf32> {k3.name = "x"}
// CHECK-SAME: -> (tensor<?x8xf32> {k3.name = "y"})
// CHECK: k3.get_weight @w : tensor<8x8xbf16>
// A view of a weight is a weight.
// CHECK: k3.slice %{{.*}} : (tensor<8x8xbf16>) -> tensor<8x4xbf16>
// CHECK: k3.linear %{{.*}} : (tensor<?x8xf32>, tensor<8x8xbf16>) -> tensor<?x8xf32>
// CHECK: k3.get_state @conv : tensor<?x8x3xf32>
// CHECK: k3.short_conv {{.*}} : (tensor<?x8xf32>, tensor<8x4xbf16>, tensor<?x8x3xf32>
// CHECK: k3.set_state @conv, %{{.*}} : tensor<?x8x3xf32>
// BF16-LABEL: func.func @layer(
// BF16-SAME: tensor<?x8xbf16> {k3.name = "x"}
func.func @layer(%x: tensor<?x8xbf16> {k3.name = "x"}, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x8xbf16> {k3.name = "y"}) {
  %w = k3.get_weight @w : tensor<8x8xbf16>
  %taps = k3.slice %w {offset = 2} : (tensor<8x8xbf16>) -> tensor<8x4xbf16>
  %l = k3.linear %x, %w
    : (tensor<?x8xbf16>, tensor<8x8xbf16>) -> tensor<?x8xbf16>
  %s0 = k3.get_state @conv : tensor<?x8x3xbf16>
  %y, %s1 = k3.short_conv %l, %taps, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x8xbf16>, tensor<8x4xbf16>, tensor<?x8x3xbf16>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xbf16>, tensor<?x8x3xbf16>)
  k3.set_state @conv, %s1 : tensor<?x8x3xbf16>
  return %y : tensor<?x8xbf16>
}
