// RUN: k3-opt %s --k3-outline-kernels | FileCheck %s

// Kernels are one only when attributes, types and the use of values are equal.
// CHECK-LABEL: func.func @almost_equal(
// CHECK: k3.launch @rms_norm(
// CHECK: k3.launch @rms_norm.1(
// CHECK: k3.launch @add(
// CHECK: k3.launch @add.1(
// CHECK: k3.launch @add(
// CHECK-COUNT-4: k3.kernel_func
// CHECK-NOT: k3.kernel_func
func.func @almost_equal(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>,
    %w: tensor<8xf32>) {
  %0 = k3.kernel(%x, %w) {update_pairs = array<i64>} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<8xf32>):
    %n = k3.rms_norm %a, %b {eps = 1.0e-5 : f64, round_before_weight = true}
      : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  %1 = k3.kernel(%x, %w) {update_pairs = array<i64>} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<8xf32>):
    %n = k3.rms_norm %a, %b {eps = 1.0e-6 : f64, round_before_weight = true}
      : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  %2 = k3.kernel(%0, %1) {update_pairs = array<i64>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>):
    %n = k3.add %a, %b : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  %3 = k3.kernel(%0, %1) {update_pairs = array<i64>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>):
    %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  %4 = k3.kernel(%2, %3) {update_pairs = array<i64>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%p: tensor<?x8xf32>, %q: tensor<?x8xf32>):
    %r = k3.add %p, %q : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    k3.yield %r : tensor<?x8xf32>
  }
  return
}
