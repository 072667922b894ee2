// RUN: k3-opt %s --k3-lower-kernels=target=x86-64-v4 -split-input-file \
// RUN:   -verify-diagnostics

k3.kernel_func @sizes attributes {update_pairs = array<i64>} {
^bb0(%g: tensor<?x2x8xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
     %lens: tensor<?xi32>):
  %a = k3.chunk_decay g(%g) seqs(%cu, %slots, %lens) {chunk_size = 64 : i64}
    : (tensor<?x2x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x8xf32>
  // expected-error @+1 {{cannot share a kernel with 'k3.chunk_decay' of other sequences, chunks or heads}}
  %b = k3.chunk_decay g(%g) seqs(%cu, %slots, %lens) {chunk_size = 32 : i64}
    : (tensor<?x2x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x8xf32>
  k3.yield %a, %b : tensor<?x2x8xf32>, tensor<?x2x8xf32>
}

// -----

k3.kernel_func @heads attributes {update_pairs = array<i64>} {
^bb0(%g: tensor<?x2x8xf32>, %h: tensor<?x4x8xf32>, %cu: tensor<?xi32>,
     %slots: tensor<?xi32>, %lens: tensor<?xi32>):
  %a = k3.chunk_decay g(%g) seqs(%cu, %slots, %lens) {chunk_size = 64 : i64}
    : (tensor<?x2x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x8xf32>
  // expected-error @+1 {{cannot share a kernel with 'k3.chunk_decay' of other sequences, chunks or heads}}
  %b = k3.chunk_decay g(%h) seqs(%cu, %slots, %lens) {chunk_size = 64 : i64}
    : (tensor<?x4x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x4x8xf32>
  k3.yield %a, %b : tensor<?x2x8xf32>, tensor<?x4x8xf32>
}
