// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @situ_glu_c1(%g: tensor<?x512xbf16>, %u: tensor<?x256xbf16>)
    -> tensor<?x512xbf16> {
  // expected-error @+1 {{'k3.situ_glu' op 'up' must have shape [?, 512], got 'tensor<?x256xbf16>'}}
  %y = k3.situ_glu %g, %u {beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x512xbf16>, tensor<?x256xbf16>) -> tensor<?x512xbf16>
  return %y : tensor<?x512xbf16>
}

// -----

func.func @situ_glu_c1_result(%g: tensor<?x512xbf16>, %u: tensor<?x512xbf16>)
    -> tensor<?x256xbf16> {
  // expected-error @+1 {{'k3.situ_glu' op 'result' must have shape [?, 512], got 'tensor<?x256xbf16>'}}
  %y = k3.situ_glu %g, %u {beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x512xbf16>, tensor<?x512xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// -----

func.func @situ_glu_c2(%g: tensor<?x512xbf16>, %u: tensor<?x512xbf16>)
    -> tensor<?x512xbf16> {
  // expected-error @+1 {{'k3.situ_glu' op beta must be finite and positive, got 0}}
  %y = k3.situ_glu %g, %u {beta = 0.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x512xbf16>, tensor<?x512xbf16>) -> tensor<?x512xbf16>
  return %y : tensor<?x512xbf16>
}

// -----

func.func @situ_glu_c2_linear(%g: tensor<?x512xbf16>, %u: tensor<?x512xbf16>)
    -> tensor<?x512xbf16> {
  // expected-error @+1 {{'k3.situ_glu' op linear_beta must be finite and positive, got -25}}
  %y = k3.situ_glu %g, %u {beta = 4.0 : f64, linear_beta = -25.0 : f64}
    : (tensor<?x512xbf16>, tensor<?x512xbf16>) -> tensor<?x512xbf16>
  return %y : tensor<?x512xbf16>
}
