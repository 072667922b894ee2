// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @linear_c1(%x: tensor<?x192xbf16>, %w: tensor<256x128xbf16>)
    -> tensor<?x256xbf16> {
  // expected-error @+1 {{'k3.linear' op 'weight' must have shape [256, 192], got 'tensor<256x128xbf16>'}}
  %y = k3.linear %x, %w
    : (tensor<?x192xbf16>, tensor<256x128xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// -----

func.func @linear_c1_result(%x: tensor<?x192xbf16>, %w: tensor<256x192xbf16>)
    -> tensor<?x128xbf16> {
  // expected-error @+1 {{'k3.linear' op 'result' must have shape [?, 256], got 'tensor<?x128xbf16>'}}
  %y = k3.linear %x, %w
    : (tensor<?x192xbf16>, tensor<256x192xbf16>) -> tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}

// -----

func.func @linear_c1_transposed(%x: tensor<?x192xbf16>,
    %w: tensor<192x256xbf16>) -> tensor<?x256xbf16> {
  // expected-error @+1 {{'k3.linear' op 'weight' must have shape [192, 192], got 'tensor<192x256xbf16>'}}
  %y = k3.linear %x, %w
    : (tensor<?x192xbf16>, tensor<192x256xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}
