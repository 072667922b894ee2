// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @chunk_tied_key_c1(%g: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_tied_key' op 'result' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %k = k3.chunk_tied_key g(%g) seqs(%cu, %slots, %lens)
    {chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x64xf32>
  return %k : tensor<?x2x64xf32>
}

// -----

func.func @chunk_tied_key_c2(%g: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_tied_key' op chunk_size must lie in [1, 256], got 0}}
  %k = k3.chunk_tied_key g(%g) seqs(%cu, %slots, %lens)
    {chunk_size = 0 : i64}
    : (tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x128xf32>
  return %k : tensor<?x2x128xf32>
}
