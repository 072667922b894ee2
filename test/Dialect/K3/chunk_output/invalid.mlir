// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @chunk_output_c1(%read: tensor<?x2x128xf32>, %a: tensor<?x2x64xf32>,
    %pseudo: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x64xf32> {
  // expected-error @+1 {{'k3.chunk_output' op 'result' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     scale = 1.0 : f64, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %o : tensor<?x2x64xf32>
}

// -----

func.func @chunk_output_c2(%read: tensor<?x2x128xf32>, %a: tensor<?x2x64xf32>,
    %pseudo: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_output' op 'gram' must have shape [?, 2, 32], got 'tensor<?x2x64xf32>'}}
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     scale = 1.0 : f64, chunk_size = 32 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}

// -----

func.func @chunk_output_c2_erase(%read: tensor<?x2x128xf32>,
    %a: tensor<?x2x64xf32>, %pseudo: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_output' op 'erase_gram' is wanted here}}
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<low_rank>, write = #k3.write<beta_value>,
     scale = 1.0 : f64, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}

// -----

func.func @chunk_output_c3(%read: tensor<?x2x128xf32>, %a: tensor<?x2x64xf32>,
    %pseudo: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_output' op 'pseudo' is not wanted here}}
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<none>, write = #k3.write<beta_value>,
     scale = 1.0 : f64, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}

// -----

func.func @chunk_output_c4(%read: tensor<?x2x128xf32>, %a: tensor<?x2x64xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_output' op 'v' is wanted here}}
  %o = k3.chunk_output read(%read) gram(%a)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<none>, write = #k3.write<beta_value>,
     scale = 1.0 : f64, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}

// -----

func.func @chunk_output_c5(%read: tensor<?x2x128xf32>, %a: tensor<?x2x64xf32>,
    %pseudo: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_output' op 'beta' is not wanted here}}
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     scale = 1.0 : f64, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}

// -----

func.func @chunk_output_c6(%read: tensor<?x2x128xf32>, %a: tensor<?x2x64xf32>,
    %pseudo: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_output' op 'weight' is wanted here}}
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<value>,
     scale = 1.0 : f64, normalizer_eps = 1.0e-5 : f64, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}

// -----

func.func @chunk_output_c7(%read: tensor<?x2x128xf32>, %a: tensor<?x2x64xf32>,
    %pseudo: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_output' op scale must be finite, got INF}}
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     scale = 0x7FF0000000000000 : f64, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}

// -----

func.func @chunk_output_c8(%read: tensor<?x2x128xf32>, %a: tensor<?x2x300xf32>,
    %pseudo: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  // expected-error @+1 {{'k3.chunk_output' op chunk_size must lie in [1, 256], got 300}}
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     scale = 1.0 : f64, chunk_size = 300 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x300xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}
