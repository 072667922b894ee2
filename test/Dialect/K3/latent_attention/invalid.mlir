// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @latent_attention_c1(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<320x64xbf16>, %cache: tensor<?x?x80xbf16>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> tensor<?x8x40xbf16> {
  // expected-error @+1 {{'k3.latent_attention' op 'result' must be [T, H, V], got 'tensor<?x8x40xbf16>'}}
  %o = k3.latent_attention %q, %kv_b, %cache seqs(%cu, %slots, %lens)
    {qk_nope_head_dim = 32, scale = 0.1443375672974064 : f64}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>, tensor<?x?x80xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x8x40xbf16>
  return %o : tensor<?x8x40xbf16>
}

// -----

func.func @latent_attention_c1_cache(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<320x64xbf16>, %cache: tensor<?x?x16xbf16>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> tensor<?x4x48xbf16> {
  // expected-error @+1 {{'k3.latent_attention' op 'cache' must be wider than k_rot, got 16 and 16}}
  %o = k3.latent_attention %q, %kv_b, %cache seqs(%cu, %slots, %lens)
    {qk_nope_head_dim = 32, scale = 0.1443375672974064 : f64}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>, tensor<?x?x16xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x4x48xbf16>
  return %o : tensor<?x4x48xbf16>
}

// -----

func.func @latent_attention_c2_rows(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<256x64xbf16>, %cache: tensor<?x?x80xbf16>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> tensor<?x4x48xbf16> {
  // expected-error @+1 {{'k3.latent_attention' op 'kv_b' must have shape [320, 64], got 'tensor<256x64xbf16>'}}
  %o = k3.latent_attention %q, %kv_b, %cache seqs(%cu, %slots, %lens)
    {qk_nope_head_dim = 32, scale = 0.1443375672974064 : f64}
    : (tensor<?x4x48xbf16>, tensor<256x64xbf16>, tensor<?x?x80xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x4x48xbf16>
  return %o : tensor<?x4x48xbf16>
}

// -----

func.func @latent_attention_c2_rope(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<320x64xbf16>, %cache: tensor<?x?x80xbf16>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> tensor<?x4x48xbf16> {
  // expected-error @+1 {{'k3.latent_attention' op qk_nope_head_dim must lie in [1, 48), got 48}}
  %o = k3.latent_attention %q, %kv_b, %cache seqs(%cu, %slots, %lens)
    {qk_nope_head_dim = 48, scale = 0.1443375672974064 : f64}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>, tensor<?x?x80xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x4x48xbf16>
  return %o : tensor<?x4x48xbf16>
}

// -----

func.func @latent_attention_c3(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<320x64xbf16>, %cache: tensor<?x?x80xbf16>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> tensor<?x4x48xbf16> {
  // expected-error @+1 {{'k3.latent_attention' op scale must be finite and positive, got 0}}
  %o = k3.latent_attention %q, %kv_b, %cache seqs(%cu, %slots, %lens)
    {qk_nope_head_dim = 32, scale = 0.0 : f64}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>, tensor<?x?x80xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x4x48xbf16>
  return %o : tensor<?x4x48xbf16>
}
