// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @kernel(
// CHECK: k3.kernel(%{{.*}}, %{{.*}}) {update_pairs = array<i64>}
// CHECK: k3.rms_norm
// CHECK: k3.yield
func.func @kernel(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = k3.kernel(%x, %w) {update_pairs = array<i64>} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<8xf32>):
    %n = k3.rms_norm %a, %b {eps = 1.0e-5 : f64, round_before_weight = true}
      : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}
