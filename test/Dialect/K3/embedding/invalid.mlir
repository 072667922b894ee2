// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @embedding_c1(%ids: tensor<?xi32>, %table: tensor<320x192xbf16>)
    -> tensor<?x128xbf16> {
  // expected-error @+1 {{'k3.embedding' op 'result' must have shape [?, 192], got 'tensor<?x128xbf16>'}}
  %x = k3.embedding %ids, %table
    : (tensor<?xi32>, tensor<320x192xbf16>) -> tensor<?x128xbf16>
  return %x : tensor<?x128xbf16>
}
