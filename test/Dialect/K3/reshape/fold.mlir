// RUN: k3-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @reshape_c2(
// CHECK-SAME: %[[X:.*]]: tensor<?x256xbf16>
// CHECK-NEXT: return %[[X]]
func.func @reshape_c2(%x: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  %y = k3.reshape %x : (tensor<?x256xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}
