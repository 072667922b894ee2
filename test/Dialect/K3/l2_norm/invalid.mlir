// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @l2_norm_c1(%x: tensor<?x2x128xbf16>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.l2_norm' op 'result' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %y = k3.l2_norm %x {eps = 1.0e-6 : f64, scale = 1.0 : f64}
    : (tensor<?x2x128xbf16>) -> tensor<?x2x64xf32>
  return %y : tensor<?x2x64xf32>
}

// -----

func.func @l2_norm_c2(%x: tensor<?x2x128xbf16>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.l2_norm' op eps must be finite and positive, got 0}}
  %y = k3.l2_norm %x {eps = 0.0 : f64, scale = 1.0 : f64}
    : (tensor<?x2x128xbf16>) -> tensor<?x2x128xf32>
  return %y : tensor<?x2x128xf32>
}

// -----

func.func @l2_norm_c3(%x: tensor<?x2x128xbf16>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.l2_norm' op scale must be finite and not zero, got 0.000000e+00}}
  %y = k3.l2_norm %x {eps = 1.0e-6 : f64, scale = 0.0 : f64}
    : (tensor<?x2x128xbf16>) -> tensor<?x2x128xf32>
  return %y : tensor<?x2x128xf32>
}

// -----

func.func @l2_norm_c3_infinite(%x: tensor<?x2x128xbf16>)
    -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.l2_norm' op scale must be finite and not zero, got INF}}
  %y = k3.l2_norm %x {eps = 1.0e-6 : f64, scale = 0x7FF0000000000000 : f64}
    : (tensor<?x2x128xbf16>) -> tensor<?x2x128xf32>
  return %y : tensor<?x2x128xf32>
}
