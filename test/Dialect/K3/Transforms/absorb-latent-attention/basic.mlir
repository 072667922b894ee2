// RUN: k3-opt %s --k3-absorb-latent-attention | FileCheck %s

// The values between the three ops are fp32, whatever the activations are.
// CHECK-LABEL: func.func @attend(
// CHECK-SAME: %[[Q:.*]]: tensor<?x4x48xbf16>, %[[W:.*]]: tensor<320x64xbf16>,
// CHECK: %[[QL:.*]] = k3.absorb_query %[[Q]], %[[W]] {qk_nope_head_dim = 32 : i64}
// CHECK-SAME: -> tensor<?x4x80xf32>
// CHECK: %[[CTX:.*]] = k3.latent_attend %[[QL]], %{{.*}} seqs(%{{.*}}, %{{.*}}, %{{.*}}) {scale = 2.500000e-01 : f64}
// CHECK-SAME: -> tensor<?x4x64xf32>
// CHECK: %[[O:.*]] = k3.absorb_value %[[CTX]], %[[W]] {qk_nope_head_dim = 32 : i64}
// CHECK-SAME: -> tensor<?x4x48xbf16>
// CHECK: return %[[O]]
func.func @attend(%q: tensor<?x4x48xbf16>, %w: tensor<320x64xbf16>,
    %cache: tensor<?x?x80xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x4x48xbf16> {
  %o = k3.latent_attention %q, %w, %cache seqs(%cu, %slots, %lens)
    {qk_nope_head_dim = 32, scale = 0.25 : f64}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>, tensor<?x?x80xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x4x48xbf16>
  return %o : tensor<?x4x48xbf16>
}
