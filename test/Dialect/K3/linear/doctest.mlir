// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @linear(
// CHECK: k3.linear {{.*}} -> tensor<?x256xbf16>
func.func @linear(%x: tensor<?x192xbf16>, %w: tensor<256x192xbf16>)
    -> tensor<?x256xbf16> {
  %y = k3.linear %x, %w
    : (tensor<?x192xbf16>, tensor<256x192xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}
