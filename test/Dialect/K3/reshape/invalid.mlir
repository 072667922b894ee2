// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @reshape_c1(%x: tensor<?x256xbf16>) -> tensor<?x2x64xbf16> {
  // expected-error @+1 {{'k3.reshape' op rows of 'tensor<?x256xbf16>' and 'tensor<?x2x64xbf16>' differ}}
  %y = k3.reshape %x : (tensor<?x256xbf16>) -> tensor<?x2x64xbf16>
  return %y : tensor<?x2x64xbf16>
}

// -----

func.func @reshape_c1_element(%x: tensor<?x256xbf16>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.reshape' op rows of 'tensor<?x256xbf16>' and 'tensor<?x2x128xf32>' differ}}
  %y = k3.reshape %x : (tensor<?x256xbf16>) -> tensor<?x2x128xf32>
  return %y : tensor<?x2x128xf32>
}

// -----

func.func @reshape_c1_rows(%x: tensor<4x256xbf16>) -> tensor<2x4x128xbf16> {
  // expected-error @+1 {{'k3.reshape' op rows of 'tensor<4x256xbf16>' and 'tensor<2x4x128xbf16>' differ}}
  %y = k3.reshape %x : (tensor<4x256xbf16>) -> tensor<2x4x128xbf16>
  return %y : tensor<2x4x128xbf16>
}
