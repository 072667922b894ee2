// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @attn_res_c1_block(%p: tensor<?x192xbf16>, %gamma: tensor<192xbf16>,
    %w: tensor<192xbf16>, %b0: tensor<?x192xbf16>, %b1: tensor<?x96xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.attn_res' op 'block' must have shape [?, 192], got 'tensor<?x96xbf16>'}}
  %y = k3.attn_res %p, %gamma, %w blocks(%b0, %b1) {eps = 1.0e-5 : f64}
    : (tensor<?x192xbf16>, tensor<192xbf16>, tensor<192xbf16>,
       tensor<?x192xbf16>, tensor<?x96xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}

// -----

func.func @attn_res_c1_result(%p: tensor<?x192xbf16>, %gamma: tensor<192xbf16>,
    %w: tensor<192xbf16>, %b0: tensor<?x192xbf16>, %b1: tensor<?x192xbf16>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.attn_res' op 'result' must have shape [?, 192], got 'tensor<?x96xbf16>'}}
  %y = k3.attn_res %p, %gamma, %w blocks(%b0, %b1) {eps = 1.0e-5 : f64}
    : (tensor<?x192xbf16>, tensor<192xbf16>, tensor<192xbf16>,
       tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @attn_res_c2_norm(%p: tensor<?x192xbf16>, %gamma: tensor<96xbf16>,
    %w: tensor<192xbf16>, %b0: tensor<?x192xbf16>, %b1: tensor<?x192xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.attn_res' op 'norm_weight' must have shape [192], got 'tensor<96xbf16>'}}
  %y = k3.attn_res %p, %gamma, %w blocks(%b0, %b1) {eps = 1.0e-5 : f64}
    : (tensor<?x192xbf16>, tensor<96xbf16>, tensor<192xbf16>,
       tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}

// -----

func.func @attn_res_c2_query(%p: tensor<?x192xbf16>, %gamma: tensor<192xbf16>,
    %w: tensor<96xbf16>, %b0: tensor<?x192xbf16>, %b1: tensor<?x192xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.attn_res' op 'query' must have shape [192], got 'tensor<96xbf16>'}}
  %y = k3.attn_res %p, %gamma, %w blocks(%b0, %b1) {eps = 1.0e-5 : f64}
    : (tensor<?x192xbf16>, tensor<192xbf16>, tensor<96xbf16>,
       tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}

// -----

func.func @attn_res_c3(%p: tensor<?x192xbf16>, %gamma: tensor<192xbf16>,
    %w: tensor<192xbf16>, %b0: tensor<?x192xbf16>, %b1: tensor<?x192xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.attn_res' op eps must be finite and positive, got 0}}
  %y = k3.attn_res %p, %gamma, %w blocks(%b0, %b1) {eps = 0.0 : f64}
    : (tensor<?x192xbf16>, tensor<192xbf16>, tensor<192xbf16>,
       tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
