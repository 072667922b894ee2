// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @latent_append(
// CHECK: k3.latent_append {{.*}} -> tensor<?x?x80xbf16>
func.func @latent_append(%c: tensor<?x64xbf16>, %r: tensor<?x16xbf16>,
    %c0: tensor<?x?x80xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x?x80xbf16> {
  %c1 = k3.latent_append %c, %r, %c0 seqs(%cu, %slots, %lens)
    : (tensor<?x64xbf16>, tensor<?x16xbf16>, tensor<?x?x80xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x80xbf16>
  return %c1 : tensor<?x?x80xbf16>
}
