// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @rms_norm(
// CHECK: k3.rms_norm {{.*}} -> tensor<?x192xbf16>
func.func @rms_norm(%x: tensor<?x192xbf16>, %w: tensor<192xbf16>)
    -> tensor<?x192xbf16> {
  %y = k3.rms_norm %x, %w {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x192xbf16>, tensor<192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
