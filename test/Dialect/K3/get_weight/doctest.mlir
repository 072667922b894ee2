// RUN: k3-opt %s | k3-opt | FileCheck %s

k3.weight @lm_head : tensor<320x192xbf16> from "lm_head" : tensor<320x192xbf16>

// CHECK-LABEL: func.func @get_weight()
// CHECK: k3.get_weight @lm_head : tensor<320x192xbf16>
func.func @get_weight() -> tensor<320x192xbf16> {
  %w = k3.get_weight @lm_head : tensor<320x192xbf16>
  return %w : tensor<320x192xbf16>
}
