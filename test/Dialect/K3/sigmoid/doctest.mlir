// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @sigmoid(
// CHECK: k3.sigmoid {{.*}} -> tensor<?x2xf32>
func.func @sigmoid(%x: tensor<?x2xbf16>) -> tensor<?x2xf32> {
  %y = k3.sigmoid %x {scale = 1.0 : f64} : (tensor<?x2xbf16>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
