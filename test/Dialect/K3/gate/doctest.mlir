// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @gate(
// CHECK: k3.gate {{.*}} -> tensor<?x2x128xf32>
func.func @gate(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}
