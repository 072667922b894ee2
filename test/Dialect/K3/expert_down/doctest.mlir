// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @expert_down(
// CHECK: k3.expert_down {{.*}} -> tensor<?x96xf32>
func.func @expert_down(%h: tensor<?x2x48xf32>, %ids: tensor<?x2xi32>,
    %w: tensor<?x2xf32>, %w2: tensor<8x96x48xbf16>) -> tensor<?x96xf32> {
  %y = k3.expert_down %h, %ids, %w experts(%w2)
    : (tensor<?x2x48xf32>, tensor<?x2xi32>, tensor<?x2xf32>,
       tensor<8x96x48xbf16>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
