// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @add_c1(%a: tensor<?x192xbf16>, %b: tensor<?x96xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.add' op 'rhs' must have shape [?, 192], got 'tensor<?x96xbf16>'}}
  %y = k3.add %a, %b
    : (tensor<?x192xbf16>, tensor<?x96xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}

// -----

func.func @add_c1_result(%a: tensor<?x192xbf16>, %b: tensor<?x192xbf16>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.add' op 'result' must have shape [?, 192], got 'tensor<?x96xbf16>'}}
  %y = k3.add %a, %b
    : (tensor<?x192xbf16>, tensor<?x192xbf16>) -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}
