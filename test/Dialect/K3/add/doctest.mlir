// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @add(
// CHECK: k3.add {{.*}} -> tensor<?x192xbf16>
func.func @add(%a: tensor<?x192xbf16>, %b: tensor<?x192xbf16>)
    -> tensor<?x192xbf16> {
  %y = k3.add %a, %b
    : (tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
