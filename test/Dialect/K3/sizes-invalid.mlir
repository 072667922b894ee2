// RUN: k3-opt %s --split-input-file --verify-diagnostics

// What all ops have in common: only tokens, sequences, pools and capacities are
// dynamic, and rows are small enough for 64-bit sizes.

func.func @dynamic_row(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{only the leading dimension may be dynamic, got 'tensor<?x?xf32>'}}
  %y = k3.add %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @dynamic_heads(%q: tensor<?x?x48xbf16>, %w: tensor<320x64xbf16>)
    -> tensor<?x?x80xf32> {
  // expected-error @+1 {{only the leading dimension may be dynamic, got 'tensor<?x?x48xbf16>'}}
  %y = k3.absorb_query %q, %w {qk_nope_head_dim = 32}
    : (tensor<?x?x48xbf16>, tensor<320x64xbf16>) -> tensor<?x?x80xf32>
  return %y : tensor<?x?x80xf32>
}

// -----

func.func @dynamic_heads_like_the_cache(%q: tensor<?x?x80xf32>,
    %w: tensor<320x64xf32>, %i: tensor<?xi32>) -> tensor<?x?x16xf32> {
  // expected-error @+1 {{only the leading dimension may be dynamic, got 'tensor<?x?x16xf32>'}}
  %y = k3.latent_attention %q, %w, %q seqs(%i, %i, %i)
    {qk_nope_head_dim = 64, scale = 1.0 : f64}
    : (tensor<?x?x80xf32>, tensor<320x64xf32>, tensor<?x?x80xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

// -----

func.func @huge_row(%x: tensor<?x1048576x1048577xf32>)
    -> tensor<?x1048576x1048577xf32> {
  // expected-error @+1 {{exceeds the limit of 2^40 elements}}
  %y = k3.sigmoid %x {scale = 1.0 : f64} : (tensor<?x1048576x1048577xf32>)
    -> tensor<?x1048576x1048577xf32>
  return %y : tensor<?x1048576x1048577xf32>
}

// -----

func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{operand #0 must be}}
  %y = k3.add %x, %x : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
