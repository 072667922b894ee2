// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @swiglu(
// CHECK: k3.swiglu {{.*}} -> tensor<?x256xbf16>
func.func @swiglu(%g: tensor<?x256xbf16>, %u: tensor<?x256xbf16>)
    -> tensor<?x256xbf16> {
  %y = k3.swiglu %g, %u
    : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}
