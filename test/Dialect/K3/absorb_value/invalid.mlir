// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @absorb_value_c1(%ctx: tensor<?x4x64xf32>, %kv_b: tensor<320x96xbf16>)
    -> tensor<?x4x48xbf16> {
  // expected-error @+1 {{'k3.absorb_value' op 'kv_b' must have shape [320, 64], got 'tensor<320x96xbf16>'}}
  %o = k3.absorb_value %ctx, %kv_b {qk_nope_head_dim = 32}
    : (tensor<?x4x64xf32>, tensor<320x96xbf16>) -> tensor<?x4x48xbf16>
  return %o : tensor<?x4x48xbf16>
}

// -----

func.func @absorb_value_c1_result(%ctx: tensor<?x4x64xf32>,
    %kv_b: tensor<320x64xbf16>) -> tensor<?x2x48xbf16> {
  // expected-error @+1 {{'k3.absorb_value' op 'result' must be [T, H, V], got 'tensor<?x2x48xbf16>'}}
  %o = k3.absorb_value %ctx, %kv_b {qk_nope_head_dim = 32}
    : (tensor<?x4x64xf32>, tensor<320x64xbf16>) -> tensor<?x2x48xbf16>
  return %o : tensor<?x2x48xbf16>
}
