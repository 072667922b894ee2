// RUN: k3-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @attn_res_c4(
// CHECK-SAME: %[[P:.*]]: tensor<?x192xbf16>,
// CHECK-NEXT: return %[[P]]
func.func @attn_res_c4(%p: tensor<?x192xbf16>, %gamma: tensor<192xbf16>,
    %w: tensor<192xbf16>) -> tensor<?x192xbf16> {
  %y = k3.attn_res %p, %gamma, %w blocks() {eps = 1.0e-5 : f64}
    : (tensor<?x192xbf16>, tensor<192xbf16>, tensor<192xbf16>)
    -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
