// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @sigmoid_c1(%x: tensor<?x2xbf16>) -> tensor<?x4xf32> {
  // expected-error @+1 {{'k3.sigmoid' op 'result' must have shape [?, 2], got 'tensor<?x4xf32>'}}
  %y = k3.sigmoid %x {scale = 1.0 : f64} : (tensor<?x2xbf16>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @sigmoid_c2(%x: tensor<?x2xbf16>) -> tensor<?x2xf32> {
  // expected-error @+1 {{'k3.sigmoid' op scale must be finite and positive, got 0}}
  %y = k3.sigmoid %x {scale = 0.0 : f64} : (tensor<?x2xbf16>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

func.func @sigmoid_c2_infinite(%x: tensor<?x2xbf16>) -> tensor<?x2xf32> {
  // expected-error @+1 {{'k3.sigmoid' op scale must be finite and positive, got +Inf}}
  %y = k3.sigmoid %x {scale = 0x7FF0000000000000 : f64} : (tensor<?x2xbf16>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
