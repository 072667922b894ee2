// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @latent_append_c1_rows(%c: tensor<?x64xbf16>, %r: tensor<?x16xbf16>,
    %c0: tensor<?x?x96xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x?x96xbf16> {
  // expected-error @+1 {{'k3.latent_append' op 'cache' must be [P, C, 80] for rows of both, got 'tensor<?x?x96xbf16>'}}
  %c1 = k3.latent_append %c, %r, %c0 seqs(%cu, %slots, %lens)
    : (tensor<?x64xbf16>, tensor<?x16xbf16>, tensor<?x?x96xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x96xbf16>
  return %c1 : tensor<?x?x96xbf16>
}

// -----

func.func @latent_append_c1_type(%c: tensor<?x64xbf16>, %r: tensor<?x16xbf16>,
    %c0: tensor<?x?x80xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x?x80xf32> {
  // expected-error @+1 {{'k3.latent_append' op 'new_cache' must have type 'tensor<?x?x80xbf16>', got 'tensor<?x?x80xf32>'}}
  %c1 = k3.latent_append %c, %r, %c0 seqs(%cu, %slots, %lens)
    : (tensor<?x64xbf16>, tensor<?x16xbf16>, tensor<?x?x80xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x80xf32>
  return %c1 : tensor<?x?x80xf32>
}

// -----

func.func @latent_append_c1_sequences(%c: tensor<?x64xbf16>,
    %r: tensor<?x16xbf16>, %c0: tensor<?x?x80xbf16>, %cu: tensor<4xi32>,
    %slots: tensor<4xi32>, %lens: tensor<4xi32>) -> tensor<?x?x80xbf16> {
  // expected-error @+1 {{'k3.latent_append' op 'cu_seqlens' must have one entry more than 'slots', got 'tensor<4xi32>' and 'tensor<4xi32>'}}
  %c1 = k3.latent_append %c, %r, %c0 seqs(%cu, %slots, %lens)
    : (tensor<?x64xbf16>, tensor<?x16xbf16>, tensor<?x?x80xbf16>,
       tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<?x?x80xbf16>
  return %c1 : tensor<?x?x80xbf16>
}
