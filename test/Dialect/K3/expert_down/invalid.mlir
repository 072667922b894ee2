// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @expert_down_c1(%h: tensor<?x2x48xf32>, %ids: tensor<?x2xi32>,
    %w: tensor<?x4xf32>, %w2: tensor<8x96x48xbf16>) -> tensor<?x96xf32> {
  // expected-error @+1 {{'k3.expert_down' op 'weights' must have shape [?, 2], got 'tensor<?x4xf32>'}}
  %y = k3.expert_down %h, %ids, %w experts(%w2)
    : (tensor<?x2x48xf32>, tensor<?x2xi32>, tensor<?x4xf32>,
       tensor<8x96x48xbf16>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// -----

func.func @expert_down_c1_ids(%h: tensor<?x2x48xf32>, %ids: tensor<?x4xi32>,
    %w: tensor<?x2xf32>, %w2: tensor<8x96x48xbf16>) -> tensor<?x96xf32> {
  // expected-error @+1 {{'k3.expert_down' op 'ids' must have shape [?, 2], got 'tensor<?x4xi32>'}}
  %y = k3.expert_down %h, %ids, %w experts(%w2)
    : (tensor<?x2x48xf32>, tensor<?x4xi32>, tensor<?x2xf32>,
       tensor<8x96x48xbf16>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// -----

func.func @expert_down_c2(%h: tensor<?x2x48xf32>, %ids: tensor<?x2xi32>,
    %w: tensor<?x2xf32>, %w2: tensor<8x96x48xbf16>) -> tensor<?x64xf32> {
  // expected-error @+1 {{'k3.expert_down' op 'w2' must have shape [8, 64, 48], got 'tensor<8x96x48xbf16>'}}
  %y = k3.expert_down %h, %ids, %w experts(%w2)
    : (tensor<?x2x48xf32>, tensor<?x2xi32>, tensor<?x2xf32>,
       tensor<8x96x48xbf16>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

func.func @expert_down_c3(%h: tensor<?x2x32xf32>, %ids: tensor<?x2xi32>,
    %w: tensor<?x2xf32>, %w2: tensor<8x96x16xi8>) -> tensor<?x96xf32> {
  // expected-error @+1 {{'k3.expert_down' op scales are given for MXFP4 weights, one each, and for no others: wanted 1, got 0}}
  %y = k3.expert_down %h, %ids, %w experts(%w2)
    : (tensor<?x2x32xf32>, tensor<?x2xi32>, tensor<?x2xf32>,
       tensor<8x96x16xi8>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// -----

func.func @expert_down_c3_width(%h: tensor<?x2x48xf32>, %ids: tensor<?x2xi32>,
    %w: tensor<?x2xf32>, %w2: tensor<8x96x24xi8>) -> tensor<?x96xf32> {
  // expected-error @+1 {{'k3.expert_down' op MXFP4 widths must be multiples of 32, got 48}}
  %y = k3.expert_down %h, %ids, %w experts(%w2)
    : (tensor<?x2x48xf32>, tensor<?x2xi32>, tensor<?x2xf32>,
       tensor<8x96x24xi8>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
