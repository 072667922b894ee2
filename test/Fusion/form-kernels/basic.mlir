// RUN: k3-opt %s --k3-form-kernels | FileCheck %s

k3.weight @norm : tensor<8xf32> from "norm" : tensor<8xf32>
k3.weight @gate : tensor<16x8xf32> from "gate" : tensor<16x8xf32>
k3.weight @up : tensor<16x8xf32> from "up" : tensor<16x8xf32>
k3.weight @down : tensor<8x16xf32> from "down" : tensor<8x16xf32>

// Weights are read around the kernels; the two products of one norm share a
// kernel, and only what is read outside a kernel leaves it.
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
// CHECK-COUNT-4: k3.get_weight
// CHECK: %[[N:.*]] = k3.kernel(%[[X]], %{{.*}}) {update_pairs = array<i64>}
// CHECK: k3.rms_norm
// CHECK: %[[GU:.*]]:2 = k3.kernel(%[[N]], %{{.*}}, %{{.*}}) {update_pairs = array<i64>}
// CHECK: k3.linear
// CHECK-NEXT: k3.linear
// CHECK-NEXT: k3.yield
// CHECK: %[[H:.*]] = k3.kernel(%[[GU]]#0, %[[GU]]#1)
// CHECK: k3.swiglu
// CHECK: %[[D:.*]] = k3.kernel(%[[H]], %{{.*}})
// CHECK: k3.linear
// CHECK: %[[Y:.*]] = k3.kernel(%[[X]], %[[D]])
// CHECK: %[[S:.*]] = k3.add
// CHECK-NEXT: %[[T:.*]] = k3.add %[[S]], %[[S]]
// CHECK-NEXT: k3.yield %[[T]] : tensor<?x8xf32>
// CHECK: return %[[Y]]
func.func @mlp(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %nw = k3.get_weight @norm : tensor<8xf32>
  %n = k3.rms_norm %x, %nw {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %gw = k3.get_weight @gate : tensor<16x8xf32>
  %g = k3.linear %n, %gw
    : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
  %uw = k3.get_weight @up : tensor<16x8xf32>
  %u = k3.linear %n, %uw
    : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
  %h = k3.swiglu %g, %u
    : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  %dw = k3.get_weight @down : tensor<8x16xf32>
  %d = k3.linear %h, %dw
    : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %s = k3.add %x, %d : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %t = k3.add %s, %s : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %t : tensor<?x8xf32>
}
