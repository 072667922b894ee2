// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @latent_experts_c1(%z: tensor<?x96xbf16>, %ids: tensor<?x4xi32>,
    %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>, %w3: tensor<16x96x48xi8>,
    %w2: tensor<16x96x48xi8>, %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>,
    %s2: tensor<16x96x3xi8>) -> tensor<?x64xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op 'result' must have shape [?, 96], got 'tensor<?x64xbf16>'}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

func.func @latent_experts_c1_weights(%z: tensor<?x96xbf16>,
    %ids: tensor<?x4xi32>, %w: tensor<?x2xf32>, %w1: tensor<16x96x48xi8>,
    %w3: tensor<16x96x48xi8>, %w2: tensor<16x96x48xi8>,
    %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>, %s2: tensor<16x96x3xi8>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op 'weights' must have shape [?, 4], got 'tensor<?x2xf32>'}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x2xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c1_ids(%z: tensor<?x96xbf16>, %ids: tensor<3x4xi32>,
    %w: tensor<3x4xf32>, %w1: tensor<16x96x48xi8>, %w3: tensor<16x96x48xi8>,
    %w2: tensor<16x96x48xi8>, %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>,
    %s2: tensor<16x96x3xi8>) -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op 'ids' and 'z' must have one leading dimension, got 'tensor<3x4xi32>' and 'tensor<?x96xbf16>'}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<3x4xi32>, tensor<3x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c2(%z: tensor<?x96xbf16>, %ids: tensor<?x4xi32>,
    %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>, %w3: tensor<16x96x48xi8>,
    %w2: tensor<16x64x48xi8>, %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>,
    %s2: tensor<16x96x3xi8>) -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op 'w2' must have shape [16, 96, 48], got 'tensor<16x64x48xi8>'}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x64x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c3_missing(%z: tensor<?x96xbf16>,
    %ids: tensor<?x4xi32>, %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>,
    %w3: tensor<16x96x48xi8>, %w2: tensor<16x96x48xi8>) -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op scales are given for MXFP4 weights, one each, and for no others: wanted 3, got 0}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c3_shape(%z: tensor<?x96xbf16>,
    %ids: tensor<?x4xi32>, %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>,
    %w3: tensor<16x96x48xi8>, %w2: tensor<16x96x48xi8>,
    %s1: tensor<16x96x6xi8>, %s3: tensor<16x96x6xi8>, %s2: tensor<16x96x6xi8>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op 'scales' must have shape [16, 96, 3], got 'tensor<16x96x6xi8>'}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x6xi8>, tensor<16x96x6xi8>, tensor<16x96x6xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c3_width(%z: tensor<?x80xbf16>,
    %ids: tensor<?x4xi32>, %w: tensor<?x4xf32>, %w1: tensor<16x96x40xi8>,
    %w3: tensor<16x96x40xi8>, %w2: tensor<16x80x48xi8>,
    %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>, %s2: tensor<16x96x3xi8>)
    -> tensor<?x80xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op MXFP4 widths must be multiples of 32, got 80}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x80xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x40xi8>, tensor<16x96x40xi8>, tensor<16x80x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x80xbf16>
  return %y : tensor<?x80xbf16>
}

// -----

func.func @latent_experts_c3_mixed(%z: tensor<?x96xbf16>,
    %ids: tensor<?x4xi32>, %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>,
    %w3: tensor<16x96x48xi8>, %w2: tensor<16x96x96xbf16>,
    %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>, %s2: tensor<16x96x3xi8>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op expert weights must have one element type, got 'tensor<16x96x96xbf16>' beside 'tensor<16x96x48xi8>'}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x96xbf16>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c4(%z: tensor<?x96xbf16>, %ids: tensor<?x4xi32>,
    %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>, %w3: tensor<16x96x48xi8>,
    %w2: tensor<16x96x48xi8>, %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>,
    %s2: tensor<16x96x3xi8>) -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op beta is given exactly for 'situ' and linear_beta only for it}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c4_linear(%z: tensor<?x96xbf16>,
    %ids: tensor<?x4xi32>, %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>,
    %w3: tensor<16x96x48xi8>, %w2: tensor<16x96x48xi8>,
    %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>, %s2: tensor<16x96x3xi8>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op beta is given exactly for 'situ' and linear_beta only for it}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<swiglu>, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c4_positive(%z: tensor<?x96xbf16>,
    %ids: tensor<?x4xi32>, %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>,
    %w3: tensor<16x96x48xi8>, %w2: tensor<16x96x48xi8>,
    %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>, %s2: tensor<16x96x3xi8>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op beta must be finite and positive, got 0}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 0.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @latent_experts_c4_infinite(%z: tensor<?x96xbf16>,
    %ids: tensor<?x4xi32>, %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>,
    %w3: tensor<16x96x48xi8>, %w2: tensor<16x96x48xi8>,
    %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>, %s2: tensor<16x96x3xi8>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.latent_experts' op linear_beta must be finite and positive, got +Inf}}
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 0x7FF0000000000000 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}
