// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @situ_glu(
// CHECK: k3.situ_glu {{.*}} -> tensor<?x512xbf16>
func.func @situ_glu(%g: tensor<?x512xbf16>, %u: tensor<?x512xbf16>)
    -> tensor<?x512xbf16> {
  %y = k3.situ_glu %g, %u {beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x512xbf16>, tensor<?x512xbf16>) -> tensor<?x512xbf16>
  return %y : tensor<?x512xbf16>
}
