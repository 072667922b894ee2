// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @launch_c1_unknown(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'@twice' must be a k3.kernel_func}}
  %y = k3.launch @twice(%x) {update_pairs = array<i64>}
    : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

k3.kernel_func @twice attributes {update_pairs = array<i64>} {
^bb0(%a: tensor<?x8xf32>):
  %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  k3.yield %n : tensor<?x8xf32>
}

func.func @launch_c1_operands(%x: tensor<?x4xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{types do not match those of '@twice'}}
  %y = k3.launch @twice(%x) {update_pairs = array<i64>}
    : (tensor<?x4xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

k3.kernel_func @twice attributes {update_pairs = array<i64>} {
^bb0(%a: tensor<?x8xf32>):
  %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  k3.yield %n : tensor<?x8xf32>
}

func.func @launch_c1_results(%x: tensor<?x8xf32>) -> tensor<?x8xbf16> {
  // expected-error @+1 {{types do not match those of '@twice'}}
  %y = k3.launch @twice(%x) {update_pairs = array<i64>}
    : (tensor<?x8xf32>) -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}
