// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @absorb_value(
// CHECK: k3.absorb_value {{.*}} -> tensor<?x4x48xbf16>
func.func @absorb_value(%ctx: tensor<?x4x64xf32>, %kv_b: tensor<320x64xbf16>)
    -> tensor<?x4x48xbf16> {
  %o = k3.absorb_value %ctx, %kv_b {qk_nope_head_dim = 32}
    : (tensor<?x4x64xf32>, tensor<320x64xbf16>) -> tensor<?x4x48xbf16>
  return %o : tensor<?x4x48xbf16>
}
