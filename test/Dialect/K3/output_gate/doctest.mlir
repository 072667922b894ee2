// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @output_gate(
// CHECK: k3.output_gate {{.*}} -> tensor<?x192xbf16>
func.func @output_gate(%x: tensor<?x192xbf16>, %g: tensor<?x192xbf16>)
    -> tensor<?x192xbf16> {
  %y = k3.output_gate %x, %g {activation = #k3.activation<sigmoid>}
    : (tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
