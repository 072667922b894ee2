// RUN: k3-opt %s | k3-opt | FileCheck %s

k3.kernel_func @norm attributes {update_pairs = array<i64>} {
^bb0(%a: tensor<?x8xf32>, %b: tensor<8xf32>):
  %n = k3.rms_norm %a, %b {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  k3.yield %n : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @launch(
// CHECK: k3.launch @norm(%{{.*}}, %{{.*}}) {update_pairs = array<i64>} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
func.func @launch(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = k3.launch @norm(%x, %w) {update_pairs = array<i64>}
    : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
