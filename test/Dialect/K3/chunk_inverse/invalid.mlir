// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @chunk_inverse_c1(%a: tensor<?x2x64xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x32xf32> {
  // expected-error @+1 {{'k3.chunk_inverse' op 'result' must have shape [?, 2, 64], got 'tensor<?x2x32xf32>'}}
  %m = k3.chunk_inverse gram(%a) beta(%beta) seqs(%cu, %slots, %lens)
    {chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x2x32xf32>
  return %m : tensor<?x2x32xf32>
}

// -----

func.func @chunk_inverse_c1_size(%a: tensor<?x2x64xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_inverse' op 'gram' must have shape [?, 2, 32], got 'tensor<?x2x64xf32>'}}
  %m = k3.chunk_inverse gram(%a) beta(%beta) seqs(%cu, %slots, %lens)
    {chunk_size = 32 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x2x64xf32>
  return %m : tensor<?x2x64xf32>
}

// -----

func.func @chunk_inverse_c2(%a: tensor<?x2x64xf32>, %beta: tensor<?x4xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_inverse' op 'beta' must have shape [?, 2], got 'tensor<?x4xf32>'}}
  %m = k3.chunk_inverse gram(%a) beta(%beta) seqs(%cu, %slots, %lens)
    {chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x4xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x2x64xf32>
  return %m : tensor<?x2x64xf32>
}

// -----

func.func @chunk_inverse_c3(%a: tensor<?x2x300xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x300xf32> {
  // expected-error @+1 {{'k3.chunk_inverse' op chunk_size must lie in [1, 256], got 300}}
  %m = k3.chunk_inverse gram(%a) beta(%beta) seqs(%cu, %slots, %lens)
    {chunk_size = 300 : i64}
    : (tensor<?x2x300xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x2x300xf32>
  return %m : tensor<?x2x300xf32>
}
