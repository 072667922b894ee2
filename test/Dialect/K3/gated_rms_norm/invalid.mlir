// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @gated_rms_norm_c1_gate(%x: tensor<?x2x128xf32>,
    %g: tensor<?x4x128xbf16>, %w: tensor<128xf32>) -> tensor<?x2x128xbf16> {
  // expected-error @+1 {{'k3.gated_rms_norm' op 'gate' must have shape [?, 2, 128], got 'tensor<?x4x128xbf16>'}}
  %y = k3.gated_rms_norm %x, %g, %w
    {activation = #k3.activation<sigmoid>, eps = 1.0e-5 : f64}
    : (tensor<?x2x128xf32>, tensor<?x4x128xbf16>, tensor<128xf32>)
    -> tensor<?x2x128xbf16>
  return %y : tensor<?x2x128xbf16>
}

// -----

func.func @gated_rms_norm_c1_result(%x: tensor<?x2x128xf32>,
    %g: tensor<?x2x128xbf16>, %w: tensor<128xf32>) -> tensor<?x4x128xbf16> {
  // expected-error @+1 {{'k3.gated_rms_norm' op 'result' must have shape [?, 2, 128], got 'tensor<?x4x128xbf16>'}}
  %y = k3.gated_rms_norm %x, %g, %w
    {activation = #k3.activation<sigmoid>, eps = 1.0e-5 : f64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xbf16>, tensor<128xf32>)
    -> tensor<?x4x128xbf16>
  return %y : tensor<?x4x128xbf16>
}

// -----

func.func @gated_rms_norm_c2(%x: tensor<?x2x128xf32>, %g: tensor<?x2x128xbf16>,
    %w: tensor<256xf32>) -> tensor<?x2x128xbf16> {
  // expected-error @+1 {{'k3.gated_rms_norm' op 'weight' must have shape [128], got 'tensor<256xf32>'}}
  %y = k3.gated_rms_norm %x, %g, %w
    {activation = #k3.activation<sigmoid>, eps = 1.0e-5 : f64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xbf16>, tensor<256xf32>)
    -> tensor<?x2x128xbf16>
  return %y : tensor<?x2x128xbf16>
}

// -----

func.func @gated_rms_norm_c3(%x: tensor<?x2x128xf32>, %g: tensor<?x2x128xbf16>,
    %w: tensor<128xf32>) -> tensor<?x2x128xbf16> {
  // expected-error @+1 {{'k3.gated_rms_norm' op eps must be finite and positive, got -1.0000000000000001E-5}}
  %y = k3.gated_rms_norm %x, %g, %w
    {activation = #k3.activation<sigmoid>, eps = -1.0e-5 : f64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xbf16>, tensor<128xf32>)
    -> tensor<?x2x128xbf16>
  return %y : tensor<?x2x128xbf16>
}
