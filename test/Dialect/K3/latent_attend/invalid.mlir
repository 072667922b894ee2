// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @latent_attend_c1(%ql: tensor<?x4x80xf32>,
    %cache: tensor<?x?x96xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x4x64xf32> {
  // expected-error @+1 {{'k3.latent_attend' op 'cache' must be [P, C, 80] and the latent narrower than that, got 'tensor<?x?x96xbf16>' and 64}}
  %ctx = k3.latent_attend %ql, %cache seqs(%cu, %slots, %lens)
    {scale = 0.1443375672974064 : f64}
    : (tensor<?x4x80xf32>, tensor<?x?x96xbf16>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x4x64xf32>
  return %ctx : tensor<?x4x64xf32>
}

// -----

func.func @latent_attend_c1_latent(%ql: tensor<?x4x80xf32>,
    %cache: tensor<?x?x80xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x4x80xf32> {
  // expected-error @+1 {{'k3.latent_attend' op 'cache' must be [P, C, 80] and the latent narrower than that, got 'tensor<?x?x80xbf16>' and 80}}
  %ctx = k3.latent_attend %ql, %cache seqs(%cu, %slots, %lens)
    {scale = 0.1443375672974064 : f64}
    : (tensor<?x4x80xf32>, tensor<?x?x80xbf16>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x4x80xf32>
  return %ctx : tensor<?x4x80xf32>
}

// -----

func.func @latent_attend_c2(%ql: tensor<?x4x80xf32>,
    %cache: tensor<?x?x80xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x4x64xf32> {
  // expected-error @+1 {{'k3.latent_attend' op scale must be finite and positive, got -1}}
  %ctx = k3.latent_attend %ql, %cache seqs(%cu, %slots, %lens)
    {scale = -1.0 : f64}
    : (tensor<?x4x80xf32>, tensor<?x?x80xbf16>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x4x64xf32>
  return %ctx : tensor<?x4x64xf32>
}
