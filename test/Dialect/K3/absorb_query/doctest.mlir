// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @absorb_query(
// CHECK: k3.absorb_query {{.*}} -> tensor<?x4x80xf32>
func.func @absorb_query(%q: tensor<?x4x48xbf16>, %kv_b: tensor<320x64xbf16>)
    -> tensor<?x4x80xf32> {
  %ql = k3.absorb_query %q, %kv_b {qk_nope_head_dim = 32}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>) -> tensor<?x4x80xf32>
  return %ql : tensor<?x4x80xf32>
}
