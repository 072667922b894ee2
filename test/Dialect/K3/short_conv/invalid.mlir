// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @short_conv_c1(%x: tensor<?x256xbf16>, %w: tensor<256x4xf32>,
    %s0: tensor<?x256x3xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x128xbf16>, tensor<?x256x3xbf16>) {
  // expected-error @+1 {{'k3.short_conv' op 'y' must have shape [?, 256], got 'tensor<?x128xbf16>'}}
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<256x4xf32>, tensor<?x256x3xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x128xbf16>, tensor<?x256x3xbf16>)
  return %y, %s1 : tensor<?x128xbf16>, tensor<?x256x3xbf16>
}

// -----

func.func @short_conv_c2(%x: tensor<?x256xbf16>, %w: tensor<256x9xf32>,
    %s0: tensor<?x256x3xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>) {
  // expected-error @+1 {{'k3.short_conv' op 'weight' must be [256, W] with 2 <= W <= 8, got 'tensor<256x9xf32>'}}
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<256x9xf32>, tensor<?x256x3xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>)
  return %y, %s1 : tensor<?x256xbf16>, tensor<?x256x3xbf16>
}

// -----

func.func @short_conv_c2_channels(%x: tensor<?x256xbf16>,
    %w: tensor<128x4xf32>, %s0: tensor<?x256x3xbf16>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>) {
  // expected-error @+1 {{'k3.short_conv' op 'weight' must be [256, W] with 2 <= W <= 8, got 'tensor<128x4xf32>'}}
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<128x4xf32>, tensor<?x256x3xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>)
  return %y, %s1 : tensor<?x256xbf16>, tensor<?x256x3xbf16>
}

// -----

func.func @short_conv_c3(%x: tensor<?x256xbf16>, %w: tensor<256x4xf32>,
    %s0: tensor<?x256x2xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x256xbf16>, tensor<?x256x2xbf16>) {
  // expected-error @+1 {{'k3.short_conv' op 'state' must be [P, 256, 3 or 4], got 'tensor<?x256x2xbf16>'}}
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<256x4xf32>, tensor<?x256x2xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x256xbf16>, tensor<?x256x2xbf16>)
  return %y, %s1 : tensor<?x256xbf16>, tensor<?x256x2xbf16>
}

// -----

func.func @short_conv_c3_type(%x: tensor<?x256xbf16>, %w: tensor<256x4xf32>,
    %s0: tensor<?x256x3xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x256xbf16>, tensor<?x256x4xbf16>) {
  // expected-error @+1 {{'k3.short_conv' op 'new_state' must have type 'tensor<?x256x3xbf16>', got 'tensor<?x256x4xbf16>'}}
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<256x4xf32>, tensor<?x256x3xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x256xbf16>, tensor<?x256x4xbf16>)
  return %y, %s1 : tensor<?x256xbf16>, tensor<?x256x4xbf16>
}

// -----

func.func @short_conv_c4(%x: tensor<?x256xbf16>, %w: tensor<256x4xf32>,
    %s0: tensor<?x256x3xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>, %b: tensor<128xf32>)
    -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>) {
  // expected-error @+1 {{'k3.short_conv' op 'bias' must have shape [256], got 'tensor<128xf32>'}}
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens) bias(%b)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<256x4xf32>, tensor<?x256x3xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<128xf32>)
    -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>)
  return %y, %s1 : tensor<?x256xbf16>, tensor<?x256x3xbf16>
}

// -----

func.func @short_conv_c5(%x: tensor<?x256xbf16>, %w: tensor<256x4xf32>,
    %s0: tensor<?x256x3xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<3xi32>) -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>) {
  // expected-error @+1 {{'k3.short_conv' op 'context_lens' must have type 'tensor<?xi32>', got 'tensor<3xi32>'}}
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<256x4xf32>, tensor<?x256x3xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<3xi32>)
    -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>)
  return %y, %s1 : tensor<?x256xbf16>, tensor<?x256x3xbf16>
}

// -----

func.func @short_conv_c5_bounds(%x: tensor<?x256xbf16>, %w: tensor<256x4xf32>,
    %s0: tensor<?x256x3xbf16>, %cu: tensor<3xi32>, %slots: tensor<3xi32>,
    %lens: tensor<3xi32>) -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>) {
  // expected-error @+1 {{'k3.short_conv' op 'cu_seqlens' must have one entry more than 'slots', got 'tensor<3xi32>' and 'tensor<3xi32>'}}
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<256x4xf32>, tensor<?x256x3xbf16>,
       tensor<3xi32>, tensor<3xi32>, tensor<3xi32>)
    -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>)
  return %y, %s1 : tensor<?x256xbf16>, tensor<?x256x3xbf16>
}
