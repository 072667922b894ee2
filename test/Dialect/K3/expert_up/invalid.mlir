// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @expert_up_c1(%z: tensor<?x96xf32>, %ids: tensor<?x2xi32>,
    %w1: tensor<8x48x96xbf16>, %w3: tensor<8x48x96xbf16>)
    -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.expert_up' op 'result' must have shape [?, 2, 48], got 'tensor<?x2x64xf32>'}}
  %h = k3.expert_up %z, %ids experts(%w1, %w3) {glu = #k3.glu<swiglu>}
    : (tensor<?x96xf32>, tensor<?x2xi32>, tensor<8x48x96xbf16>,
       tensor<8x48x96xbf16>) -> tensor<?x2x64xf32>
  return %h : tensor<?x2x64xf32>
}

// -----

func.func @expert_up_c1_ids(%z: tensor<?x96xf32>, %ids: tensor<3x2xi32>,
    %w1: tensor<8x48x96xbf16>, %w3: tensor<8x48x96xbf16>)
    -> tensor<?x2x48xf32> {
  // expected-error @+1 {{'k3.expert_up' op 'ids' must have shape [?, 2], got 'tensor<3x2xi32>'}}
  %h = k3.expert_up %z, %ids experts(%w1, %w3) {glu = #k3.glu<swiglu>}
    : (tensor<?x96xf32>, tensor<3x2xi32>, tensor<8x48x96xbf16>,
       tensor<8x48x96xbf16>) -> tensor<?x2x48xf32>
  return %h : tensor<?x2x48xf32>
}

// -----

func.func @expert_up_c2(%z: tensor<?x96xf32>, %ids: tensor<?x2xi32>,
    %w1: tensor<8x48x96xbf16>, %w3: tensor<4x48x96xbf16>)
    -> tensor<?x2x48xf32> {
  // expected-error @+1 {{'k3.expert_up' op 'w3' must have shape [8, 48, 96], got 'tensor<4x48x96xbf16>'}}
  %h = k3.expert_up %z, %ids experts(%w1, %w3) {glu = #k3.glu<swiglu>}
    : (tensor<?x96xf32>, tensor<?x2xi32>, tensor<8x48x96xbf16>,
       tensor<4x48x96xbf16>) -> tensor<?x2x48xf32>
  return %h : tensor<?x2x48xf32>
}

// -----

func.func @expert_up_c3(%z: tensor<?x96xf32>, %ids: tensor<?x2xi32>,
    %w1: tensor<8x48x96xbf16>, %w3: tensor<8x48x96xbf16>,
    %s1: tensor<8x48x3xi8>, %s3: tensor<8x48x3xi8>) -> tensor<?x2x48xf32> {
  // expected-error @+1 {{'k3.expert_up' op scales are given for MXFP4 weights, one each, and for no others: wanted 0, got 2}}
  %h = k3.expert_up %z, %ids experts(%w1, %w3) scales(%s1, %s3) {glu = #k3.glu<swiglu>}
    : (tensor<?x96xf32>, tensor<?x2xi32>, tensor<8x48x96xbf16>,
       tensor<8x48x96xbf16>, tensor<8x48x3xi8>, tensor<8x48x3xi8>) -> tensor<?x2x48xf32>
  return %h : tensor<?x2x48xf32>
}

// -----

func.func @expert_up_c3_width(%z: tensor<?x80xf32>, %ids: tensor<?x2xi32>,
    %w1: tensor<8x48x40xi8>, %w3: tensor<8x48x40xi8>, %s1: tensor<8x48x3xi8>,
    %s3: tensor<8x48x3xi8>) -> tensor<?x2x48xf32> {
  // expected-error @+1 {{'k3.expert_up' op MXFP4 widths must be multiples of 32, got 80}}
  %h = k3.expert_up %z, %ids experts(%w1, %w3) scales(%s1, %s3) {glu = #k3.glu<swiglu>}
    : (tensor<?x80xf32>, tensor<?x2xi32>, tensor<8x48x40xi8>,
       tensor<8x48x40xi8>, tensor<8x48x3xi8>, tensor<8x48x3xi8>) -> tensor<?x2x48xf32>
  return %h : tensor<?x2x48xf32>
}

// -----

func.func @expert_up_c4(%z: tensor<?x96xf32>, %ids: tensor<?x2xi32>,
    %w1: tensor<8x48x96xbf16>, %w3: tensor<8x48x96xbf16>)
    -> tensor<?x2x48xf32> {
  // expected-error @+1 {{'k3.expert_up' op beta is given exactly for 'situ' and linear_beta only for it}}
  %h = k3.expert_up %z, %ids experts(%w1, %w3) {glu = #k3.glu<situ>}
    : (tensor<?x96xf32>, tensor<?x2xi32>, tensor<8x48x96xbf16>,
       tensor<8x48x96xbf16>) -> tensor<?x2x48xf32>
  return %h : tensor<?x2x48xf32>
}
