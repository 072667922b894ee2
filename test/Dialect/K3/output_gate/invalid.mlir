// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @output_gate_c1(%x: tensor<?x192xbf16>, %g: tensor<?x128xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.output_gate' op 'gate' must have shape [?, 192], got 'tensor<?x128xbf16>'}}
  %y = k3.output_gate %x, %g {activation = #k3.activation<sigmoid>}
    : (tensor<?x192xbf16>, tensor<?x128xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}

// -----

func.func @output_gate_c1_result(%x: tensor<?x192xbf16>, %g: tensor<?x192xbf16>)
    -> tensor<?x128xbf16> {
  // expected-error @+1 {{'k3.output_gate' op 'result' must have shape [?, 192], got 'tensor<?x128xbf16>'}}
  %y = k3.output_gate %x, %g {activation = #k3.activation<sigmoid>}
    : (tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}

// -----

func.func @output_gate_c2(%x: tensor<?x192xbf16>, %g: tensor<?x192xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.output_gate' op activation must not be 'none'}}
  %y = k3.output_gate %x, %g {activation = #k3.activation<none>}
    : (tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
