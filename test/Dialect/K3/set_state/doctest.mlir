// RUN: k3-opt %s | k3-opt | FileCheck %s

k3.state @layers.0.kda_state : tensor<2x128x128xf32>

// CHECK-LABEL: func.func @set_state(
// CHECK: k3.set_state @layers.0.kda_state, %{{.*}} : tensor<?x2x128x128xf32>
func.func @set_state(%s1: tensor<?x2x128x128xf32>) {
  k3.set_state @layers.0.kda_state, %s1 : tensor<?x2x128x128xf32>
  return
}
