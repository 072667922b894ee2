// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @reshape(
// CHECK: k3.reshape {{.*}} -> tensor<?x2x128xbf16>
func.func @reshape(%x: tensor<?x256xbf16>) -> tensor<?x2x128xbf16> {
  %y = k3.reshape %x : (tensor<?x256xbf16>) -> tensor<?x2x128xbf16>
  return %y : tensor<?x2x128xbf16>
}
