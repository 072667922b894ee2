// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @expert_up(
// CHECK: k3.expert_up {{.*}} -> tensor<?x2x48xf32>
func.func @expert_up(%z: tensor<?x96xf32>, %ids: tensor<?x2xi32>,
    %w1: tensor<8x48x96xbf16>, %w3: tensor<8x48x96xbf16>)
    -> tensor<?x2x48xf32> {
  %h = k3.expert_up %z, %ids experts(%w1, %w3) {glu = #k3.glu<swiglu>}
    : (tensor<?x96xf32>, tensor<?x2xi32>, tensor<8x48x96xbf16>,
       tensor<8x48x96xbf16>) -> tensor<?x2x48xf32>
  return %h : tensor<?x2x48xf32>
}
