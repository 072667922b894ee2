// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @slice_c1(%x: tensor<?x80xbf16>) -> tensor<?x16xf32> {
  // expected-error @+1 {{'k3.slice' op 'result' must differ from 'tensor<?x80xbf16>' in the last dimension only, got 'tensor<?x16xf32>'}}
  %y = k3.slice %x {offset = 64} : (tensor<?x80xbf16>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

func.func @slice_c1_rank(%x: tensor<?x80xbf16>) -> tensor<?x1x16xbf16> {
  // expected-error @+1 {{'k3.slice' op 'result' must differ from 'tensor<?x80xbf16>' in the last dimension only, got 'tensor<?x1x16xbf16>'}}
  %y = k3.slice %x {offset = 64} : (tensor<?x80xbf16>) -> tensor<?x1x16xbf16>
  return %y : tensor<?x1x16xbf16>
}

// -----

func.func @slice_c2(%x: tensor<?x80xbf16>) -> tensor<?x16xbf16> {
  // expected-error @+1 {{'k3.slice' op range [65, +16) lies outside 'tensor<?x80xbf16>'}}
  %y = k3.slice %x {offset = 65} : (tensor<?x80xbf16>) -> tensor<?x16xbf16>
  return %y : tensor<?x16xbf16>
}

// -----

func.func @slice_c2_negative(%x: tensor<?x80xbf16>) -> tensor<?x16xbf16> {
  // expected-error @+1 {{'k3.slice' op range [-1, +16) lies outside 'tensor<?x80xbf16>'}}
  %y = k3.slice %x {offset = -1} : (tensor<?x80xbf16>) -> tensor<?x16xbf16>
  return %y : tensor<?x16xbf16>
}
