// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @absorb_query_c1_result(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<320x64xbf16>) -> tensor<?x4x64xf32> {
  // expected-error @+1 {{'k3.absorb_query' op 'result' must have shape [?, 4, 80], got 'tensor<?x4x64xf32>'}}
  %ql = k3.absorb_query %q, %kv_b {qk_nope_head_dim = 32}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>) -> tensor<?x4x64xf32>
  return %ql : tensor<?x4x64xf32>
}

// -----

func.func @absorb_query_c1_heads(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<318x64xbf16>) -> tensor<?x4x80xf32> {
  // expected-error @+1 {{'k3.absorb_query' op 'kv_b' must have a multiple of H rows, got 'tensor<?x4x48xbf16>' and 'tensor<318x64xbf16>'}}
  %ql = k3.absorb_query %q, %kv_b {qk_nope_head_dim = 32}
    : (tensor<?x4x48xbf16>, tensor<318x64xbf16>) -> tensor<?x4x80xf32>
  return %ql : tensor<?x4x80xf32>
}

// -----

func.func @absorb_query_c1_rope(%q: tensor<?x4x48xbf16>,
    %kv_b: tensor<320x64xbf16>) -> tensor<?x4x80xf32> {
  // expected-error @+1 {{'k3.absorb_query' op qk_nope_head_dim must lie in [1, 48), got 48}}
  %ql = k3.absorb_query %q, %kv_b {qk_nope_head_dim = 48}
    : (tensor<?x4x48xbf16>, tensor<320x64xbf16>) -> tensor<?x4x80xf32>
  return %ql : tensor<?x4x80xf32>
}
