// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @last_token_c1(%x: tensor<?x192xf32>, %cu: tensor<?xi32>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.last_token' op 'result' must have the row type of 'x', got 'tensor<?x192xbf16>' and 'tensor<?x192xf32>'}}
  %y = k3.last_token %x, %cu
    : (tensor<?x192xf32>, tensor<?xi32>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
