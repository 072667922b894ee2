// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @l2_norm(
// CHECK: k3.l2_norm {{.*}} -> tensor<?x2x128xf32>
func.func @l2_norm(%x: tensor<?x2x128xbf16>) -> tensor<?x2x128xf32> {
  %y = k3.l2_norm %x {eps = 1.0e-6 : f64, scale = 1.0 : f64}
    : (tensor<?x2x128xbf16>) -> tensor<?x2x128xf32>
  return %y : tensor<?x2x128xf32>
}
