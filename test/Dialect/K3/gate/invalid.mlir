// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @gate_c1(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.gate' op 'result' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x64xf32>
  return %g : tensor<?x2x64xf32>
}

// -----

func.func @gate_c2(%z: tensor<?x2x128xbf16>, %a: tensor<4xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op 'A_log' must have shape [2], got 'tensor<4xf32>'}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<?x2x128xbf16>, tensor<4xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}

// -----

func.func @gate_c3(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x64xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op 'dt_bias' must have shape [2, 128], got 'tensor<2x64xf32>'}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x64xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}

// -----

func.func @gate_c4_missing(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op lower_bound is given for 'bounded' and only for it}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<bounded>}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}

// -----

func.func @gate_c4_unwanted(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op lower_bound is given for 'bounded' and only for it}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<softplus>, lower_bound = -5.0 : f64}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}

// -----

func.func @gate_c4_low(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op lower_bound must lie in [-5, 0), got -5.500000e+00}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<bounded>, lower_bound = -5.5 : f64}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}

// -----

func.func @gate_c4_zero(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op lower_bound must lie in [-5, 0), got 0.000000e+00}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<bounded>, lower_bound = 0.0 : f64}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}

// -----

func.func @gate_c5_missing(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op normalizer is given for 'log_sigmoid' and only for it}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<log_sigmoid>}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}

// -----

func.func @gate_c5_unwanted(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op normalizer is given for 'log_sigmoid' and only for it}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64,
     normalizer = 16.0 : f64}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}

// -----

func.func @gate_c5_positive(%z: tensor<?x2x128xbf16>, %a: tensor<2xf32>,
    %b: tensor<2x128xf32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.gate' op normalizer must be finite and positive, got 0}}
  %g = k3.gate %z a_log(%a) dt_bias(%b)
    {map = #k3.gate_map<log_sigmoid>, normalizer = 0.0 : f64}
    : (tensor<?x2x128xbf16>, tensor<2xf32>, tensor<2x128xf32>)
    -> tensor<?x2x128xf32>
  return %g : tensor<?x2x128xf32>
}
