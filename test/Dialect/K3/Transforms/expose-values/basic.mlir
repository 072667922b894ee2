// RUN: k3-opt %s --k3-expose-values --mlir-print-local-scope | FileCheck %s

k3.state @conv : tensor<8x3xf32>
k3.weight @w : tensor<8x4xf32> from "w" : tensor<8x4xf32>

// Neither the weight, nor the pool, nor the view, nor what is returned already.
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: -> (tensor<?x8xf32> {k3.name = "y"}, tensor<?x8xf32> {k3.name = "q_conv1d:short_conv:0"}, tensor<?x2x4xf32> {k3.name = "q_norm:l2_norm:0"}, tensor<?x2x4xf32> {k3.name = "q_norm:l2_norm:0#1"})
// CHECK: %[[C:.*]], %{{.*}} = k3.short_conv
// CHECK: %[[N0:.*]] = k3.l2_norm
// CHECK: %[[N1:.*]] = k3.l2_norm
// CHECK: %[[Y:.*]] = k3.add
// CHECK: return %[[Y]], %[[C]], %[[N0]], %[[N1]] :
func.func @layer(%x: tensor<?x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x8xf32> {k3.name = "y"}) {
  %w = k3.get_weight @w : tensor<8x4xf32>
  %s0 = k3.get_state @conv : tensor<?x8x3xf32>
  %c, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
    loc("q_conv1d")
  k3.set_state @conv, %s1 : tensor<?x8x3xf32>
  %h = k3.reshape %c : (tensor<?x8xf32>) -> tensor<?x2x4xf32> loc("q_conv1d")
  %n0 = k3.l2_norm %h {eps = 1.0e-6 : f64, scale = 1.0 : f64}
    : (tensor<?x2x4xf32>) -> tensor<?x2x4xf32> loc("q_norm")
  %n1 = k3.l2_norm %n0 {eps = 1.0e-6 : f64, scale = 1.0 : f64}
    : (tensor<?x2x4xf32>) -> tensor<?x2x4xf32> loc("q_norm")
  %r = k3.reshape %n1 : (tensor<?x2x4xf32>) -> tensor<?x8xf32>
  %y = k3.add %r, %x
    : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc("add")
  return %y : tensor<?x8xf32>
}
