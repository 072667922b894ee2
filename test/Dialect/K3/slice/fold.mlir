// RUN: k3-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @whole_row(
// CHECK-SAME: %[[X:.*]]: tensor<?x80xbf16>
// CHECK-NEXT: return %[[X]]
func.func @whole_row(%x: tensor<?x80xbf16>) -> tensor<?x80xbf16> {
  %y = k3.slice %x {offset = 0} : (tensor<?x80xbf16>) -> tensor<?x80xbf16>
  return %y : tensor<?x80xbf16>
}
