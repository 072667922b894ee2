// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @attn_res(
// CHECK: k3.attn_res {{.*}} -> tensor<?x192xbf16>
func.func @attn_res(%p: tensor<?x192xbf16>, %gamma: tensor<192xbf16>,
    %w: tensor<192xbf16>, %b0: tensor<?x192xbf16>, %b1: tensor<?x192xbf16>)
    -> tensor<?x192xbf16> {
  %y = k3.attn_res %p, %gamma, %w blocks(%b0, %b1) {eps = 1.0e-5 : f64}
    : (tensor<?x192xbf16>, tensor<192xbf16>, tensor<192xbf16>,
       tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
