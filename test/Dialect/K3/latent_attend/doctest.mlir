// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @latent_attend(
// CHECK: k3.latent_attend {{.*}} -> tensor<?x4x64xf32>
func.func @latent_attend(%ql: tensor<?x4x80xf32>, %cache: tensor<?x?x80xbf16>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> tensor<?x4x64xf32> {
  %ctx = k3.latent_attend %ql, %cache seqs(%cu, %slots, %lens)
    {scale = 0.1443375672974064 : f64}
    : (tensor<?x4x80xf32>, tensor<?x?x80xbf16>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x4x64xf32>
  return %ctx : tensor<?x4x64xf32>
}
