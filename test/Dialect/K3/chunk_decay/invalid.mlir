// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @chunk_decay_c1(%g: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_decay' op 'result' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %sum = k3.chunk_decay g(%g) seqs(%cu, %slots, %lens)
    {chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x64xf32>
  return %sum : tensor<?x2x64xf32>
}

// -----

func.func @chunk_decay_c1_rows(%g: tensor<?x2x128xf32>, %q: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_decay' op 'rows' is not wanted here}}
  %sum = k3.chunk_decay g(%g) rows(%q) seqs(%cu, %slots, %lens)
    {chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x128xf32>
  return %sum : tensor<?x2x128xf32>
}

// -----

func.func @chunk_decay_c1_constant(%g: tensor<2xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2xf32> {
  // expected-error @+1 {{'k3.chunk_decay' op 'rows' is wanted here}}
  %sum = k3.chunk_decay g(%g) seqs(%cu, %slots, %lens)
    {chunk_size = 64 : i64}
    : (tensor<2xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2xf32>
  return %sum : tensor<?x2xf32>
}

// -----

func.func @chunk_decay_c2(%g: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_decay' op chunk_size must lie in [1, 256], got 257}}
  %sum = k3.chunk_decay g(%g) seqs(%cu, %slots, %lens)
    {chunk_size = 257 : i64}
    : (tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x128xf32>
  return %sum : tensor<?x2x128xf32>
}
