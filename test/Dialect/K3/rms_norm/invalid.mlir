// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @rms_norm_c1(%x: tensor<?x192xbf16>, %w: tensor<192xbf16>)
    -> tensor<?x96xbf16> {
  // expected-error @+1 {{'k3.rms_norm' op 'result' must have shape [?, 192], got 'tensor<?x96xbf16>'}}
  %y = k3.rms_norm %x, %w {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x192xbf16>, tensor<192xbf16>) -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// -----

func.func @rms_norm_c2(%x: tensor<?x192xbf16>, %w: tensor<96xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.rms_norm' op 'weight' must have shape [192], got 'tensor<96xbf16>'}}
  %y = k3.rms_norm %x, %w {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x192xbf16>, tensor<96xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}

// -----

func.func @rms_norm_c3(%x: tensor<?x192xbf16>, %w: tensor<192xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.rms_norm' op eps must be finite and positive, got 0}}
  %y = k3.rms_norm %x, %w {eps = 0.0 : f64, round_before_weight = true}
    : (tensor<?x192xbf16>, tensor<192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}

// -----

func.func @rms_norm_c3_nan(%x: tensor<?x192xbf16>, %w: tensor<192xbf16>)
    -> tensor<?x192xbf16> {
  // expected-error @+1 {{'k3.rms_norm' op eps must be finite and positive, got NaN}}
  %y = k3.rms_norm %x, %w {eps = 0x7FF8000000000000 : f64, round_before_weight = true}
    : (tensor<?x192xbf16>, tensor<192xbf16>) -> tensor<?x192xbf16>
  return %y : tensor<?x192xbf16>
}
