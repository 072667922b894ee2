// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @latent_attention(
// CHECK: k3.latent_attention {{.*}} -> tensor<?x4x48xbf16>
func.func @latent_attention(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<320x64xbf16>, %cache: tensor<?x?x80xbf16>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> tensor<?x4x48xbf16> {
  %o = k3.latent_attention %q, %kv_b, %cache seqs(%cu, %slots, %lens)
    {qk_nope_head_dim = 32, scale = 0.1443375672974064 : f64}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>, tensor<?x?x80xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x4x48xbf16>
  return %o : tensor<?x4x48xbf16>
}
