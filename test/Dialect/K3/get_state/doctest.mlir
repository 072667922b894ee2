// RUN: k3-opt %s | k3-opt | FileCheck %s

k3.state @layers.0.kda_state : tensor<2x128x128xf32>

// CHECK-LABEL: func.func @get_state()
// CHECK: k3.get_state @layers.0.kda_state : tensor<?x2x128x128xf32>
func.func @get_state() -> tensor<?x2x128x128xf32> {
  %s = k3.get_state @layers.0.kda_state : tensor<?x2x128x128xf32>
  return %s : tensor<?x2x128x128xf32>
}
