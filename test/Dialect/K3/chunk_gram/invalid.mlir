// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @chunk_gram_c1(%k: tensor<?x2x128xf32>, %q: tensor<?x2x64xf32>,
    %sum: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op 'y' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %a = k3.chunk_gram x(%k) y(%q) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c1_heads(%k: tensor<?x3x128xf32>, %q: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op 'x' must have heads that divide 2, got 'tensor<?x3x128xf32>'}}
  %a = k3.chunk_gram x(%k) y(%q) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x3x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c2(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x32xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op 'result' must have shape [?, 2, 64], got 'tensor<?x2x32xf32>'}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x32xf32>
  return %a : tensor<?x2x32xf32>
}

// -----

func.func @chunk_gram_c3(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op 'decay' is given unless form is 'plain'}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<plain>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c3_scalar(%k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op form 'scalar' does not fit 'decay' 'tensor<?x2x128xf32>'}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<scalar>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c4(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %beta: tensor<?x2xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op 'g' must have shape [?, 2, 128], got 'tensor<?x2xf32>'}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) g(%beta) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c5(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op anchor and log_decay_bounds are given exactly for form 'anchored'}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c5_row(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op anchor must lie in [0, 16), got 16}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 16 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c5_positive(%k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op log_decay_bounds must be two numbers, the lower first and none positive}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.5>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c5_nan(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op log_decay_bounds must be two numbers, the lower first and none positive}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: 0x7FF8000000000000, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c5_exponent(%k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op exponents may reach 4.800000e+01, which the anchored form does not allow}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -6.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c5_undecayed(%k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %g: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op exponents may reach 4.500000e+01, which the anchored form does not allow}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) g(%g) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 8 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c6(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op sub_tile must divide 64, got 24}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 24 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}

// -----

func.func @chunk_gram_c7(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x320xf32> {
  // expected-error @+1 {{'k3.chunk_gram' op chunk_size must lie in [1, 256], got 320}}
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 320 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x320xf32>
  return %a : tensor<?x2x320xf32>
}
