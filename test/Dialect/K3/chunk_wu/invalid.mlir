// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @chunk_wu_c1(%m: tensor<?x2x64xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    (tensor<?x2x128xf32>, tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_wu' op 'inverse' must have shape [?, 2, 32], got 'tensor<?x2x64xf32>'}}
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     chunk_size = 32 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>)
  return %w, %u : tensor<?x2x128xf32>, tensor<?x2x128xf32>
}

// -----

func.func @chunk_wu_c2(%m: tensor<?x2x64xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    (tensor<?x2x64xf32>, tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_wu' op 'w' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x64xf32>, tensor<?x2x128xf32>)
  return %w, %u : tensor<?x2x64xf32>, tensor<?x2x128xf32>
}

// -----

func.func @chunk_wu_c3(%m: tensor<?x2x64xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    (tensor<?x2x128xf32>, tensor<?x2x64xf32>) {
  // expected-error @+1 {{'k3.chunk_wu' op 'u' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x64xf32>)
  return %w, %u : tensor<?x2x128xf32>, tensor<?x2x64xf32>
}

// -----

func.func @chunk_wu_c4(%m: tensor<?x2x64xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x64xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    (tensor<?x2x128xf32>, tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_wu' op 'decay' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>)
  return %w, %u : tensor<?x2x128xf32>, tensor<?x2x128xf32>
}

// -----

func.func @chunk_wu_c5(%m: tensor<?x2x64xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>,
    tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_wu' op 'beta' is wanted here}}
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>)
  return %w, %u : tensor<?x2x128xf32>, tensor<?x2x128xf32>
}

// -----

func.func @chunk_wu_c6(%m: tensor<?x2x64xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    (tensor<?x2x128xf32>, tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_wu' op 'gram' is wanted here}}
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<low_rank>, write = #k3.write<beta_value>,
     chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>)
  return %w, %u : tensor<?x2x128xf32>, tensor<?x2x128xf32>
}

// -----

func.func @chunk_wu_c6_none(%m: tensor<?x2x64xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    (tensor<?x2x128xf32>, tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_wu' op erase 'none' has no W and U}}
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<none>, write = #k3.write<beta_value>,
     chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>)
  return %w, %u : tensor<?x2x128xf32>, tensor<?x2x128xf32>
}

// -----

func.func @chunk_wu_c7(%m: tensor<?x2x300xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    (tensor<?x2x128xf32>, tensor<?x2x128xf32>) {
  // expected-error @+1 {{'k3.chunk_wu' op chunk_size must lie in [1, 256], got 300}}
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     chunk_size = 300 : i64}
    : (tensor<?x2x300xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>)
  return %w, %u : tensor<?x2x128xf32>, tensor<?x2x128xf32>
}
