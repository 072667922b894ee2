// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @gated_rms_norm(
// CHECK: k3.gated_rms_norm {{.*}} -> tensor<?x2x128xbf16>
func.func @gated_rms_norm(%x: tensor<?x2x128xf32>, %g: tensor<?x2x128xbf16>,
    %w: tensor<128xf32>) -> tensor<?x2x128xbf16> {
  %y = k3.gated_rms_norm %x, %g, %w
    {activation = #k3.activation<sigmoid>, eps = 1.0e-5 : f64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xbf16>, tensor<128xf32>)
    -> tensor<?x2x128xbf16>
  return %y : tensor<?x2x128xbf16>
}
