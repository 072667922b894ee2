// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @chunk_step_c1(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op 'b' is wanted here}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<low_rank>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}

// -----

func.func @chunk_step_c1_k(%q: tensor<?x2x128xf32>, %k: tensor<?x2x64xf32>,
    %sum: tensor<?x2x128xf32>, %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op 'k' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}

// -----

func.func @chunk_step_c2(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>,
    %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op 'v' is not wanted here}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) v(%v) decay(%sum) w(%w) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}

// -----

func.func @chunk_step_c3(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op 'w' is wanted here}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}

// -----

func.func @chunk_step_c4(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x64xf32>, %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op 'decay' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x64xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}

// -----

func.func @chunk_step_c5(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>, %w: tensor<?x2x128xf32>,
    %u: tensor<?x2x128xf32>, %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>,
    tensor<?x2x128x128xf32>, tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op 'beta' is not wanted here}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) beta(%beta) w(%w) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}

// -----

func.func @chunk_step_c6(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x64xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x64xf32>,
    tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op 'state' must have shape [?, 2, 128, 128], got 'tensor<?x2x128x64xf32>'}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x64xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x64xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x64xf32>,
    tensor<?x2x128xf32>
}

// -----

func.func @chunk_step_c7(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %n0: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>,
    tensor<?x2x128x128xf32>, tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op must have 5 results, got 3}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
    state(%s0) normalizer(%n0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}

// -----

func.func @chunk_step_c7_shape(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %n0: tensor<?x2x64xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>,
    tensor<?x2x128x128xf32>, tensor<?x2x128xf32>, tensor<?x2xf32>,
    tensor<?x2x64xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op 'normalizer_state' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %read, %s1, %pseudo, %weight, %n1 = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
    state(%s0) normalizer(%n0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?x2x64xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>,
        tensor<?x2xf32>, tensor<?x2x64xf32>)
  return %read, %s1, %pseudo, %weight, %n1 : tensor<?x2x128xf32>,
    tensor<?x2x128x128xf32>, tensor<?x2x128xf32>, tensor<?x2xf32>,
    tensor<?x2x64xf32>
}

// -----

func.func @chunk_step_c8(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_step' op chunk_size must lie in [1, 256], got 300}}
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 300 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}
