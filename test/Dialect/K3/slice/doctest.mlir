// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @slice(
// CHECK: k3.slice {{.*}} -> tensor<?x16xbf16>
func.func @slice(%x: tensor<?x80xbf16>) -> tensor<?x16xbf16> {
  %y = k3.slice %x {offset = 64} : (tensor<?x80xbf16>) -> tensor<?x16xbf16>
  return %y : tensor<?x16xbf16>
}
