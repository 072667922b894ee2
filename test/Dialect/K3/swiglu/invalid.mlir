// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @swiglu_c1(%g: tensor<?x256xbf16>, %u: tensor<?x128xbf16>)
    -> tensor<?x256xbf16> {
  // expected-error @+1 {{'k3.swiglu' op 'up' must have shape [?, 256], got 'tensor<?x128xbf16>'}}
  %y = k3.swiglu %g, %u
    : (tensor<?x256xbf16>, tensor<?x128xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// -----

func.func @swiglu_c1_result(%g: tensor<?x256xbf16>, %u: tensor<?x256xbf16>)
    -> tensor<?x128xbf16> {
  // expected-error @+1 {{'k3.swiglu' op 'result' must have shape [?, 256], got 'tensor<?x128xbf16>'}}
  %y = k3.swiglu %g, %u
    : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}
