// RUN: k3-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{body must hold k3 tensor ops only, got 'arith.addf'}}
k3.kernel_func @kernel_func_c1_foreign attributes {update_pairs = array<i64>} {
^bb0(%a: tensor<?x8xf32>):
  %n = arith.addf %a, %a : tensor<?x8xf32>
  k3.yield %n : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{update_pairs must be pairs of an input and a result of one type}}
k3.kernel_func @kernel_func_c1_pairs attributes {update_pairs = array<i64: 1, 0>} {
^bb0(%a: tensor<?x8xf32>):
  %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  k3.yield %n : tensor<?x8xf32>
}
