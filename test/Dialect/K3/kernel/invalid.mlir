// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @kernel_c1_arguments(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{body arguments must have the types of the operands}}
  %y = k3.kernel(%x) {update_pairs = array<i64>} : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x4xf32>):
    %n = k3.add %a, %a : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    k3.yield %n : tensor<?x4xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

func.func @kernel_c1_results(%x: tensor<?x8xf32>) -> tensor<?x8xbf16> {
  // expected-error @+1 {{yielded types must be the result types}}
  %y = k3.kernel(%x) {update_pairs = array<i64>} : (tensor<?x8xf32>) -> tensor<?x8xbf16> {
  ^bb0(%a: tensor<?x8xf32>):
    %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  return %y : tensor<?x8xbf16>
}

// -----

func.func @kernel_c2_foreign(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{body must hold k3 tensor ops only, got 'arith.addf'}}
  %y = k3.kernel(%x) {update_pairs = array<i64>} : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %n = arith.addf %a, %a : tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

k3.weight @w : tensor<4x8xf32> from "w" : tensor<4x8xf32>

func.func @kernel_c2_weight() -> tensor<4x8xf32> {
  // expected-error @+1 {{body must hold k3 tensor ops only, got 'k3.get_weight'}}
  %y = k3.kernel() {update_pairs = array<i64>} : () -> tensor<4x8xf32> {
    %n = k3.get_weight @w : tensor<4x8xf32>
    k3.yield %n : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @kernel_c2_nested(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{body must hold k3 tensor ops only, got 'k3.kernel'}}
  %y = k3.kernel(%x) {update_pairs = array<i64>} : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %n = k3.kernel(%a) {update_pairs = array<i64>} : (tensor<?x8xf32>) -> tensor<?x8xf32> {
    ^bb0(%b: tensor<?x8xf32>):
      k3.yield %b : tensor<?x8xf32>
    }
    k3.yield %n : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

func.func @kernel_c3_odd(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{update_pairs must be pairs of an input and a result of one type}}
  %y = k3.kernel(%x) {update_pairs = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

func.func @kernel_c3_range(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{update_pairs must be pairs of an input and a result of one type}}
  %y = k3.kernel(%x) {update_pairs = array<i64: 0, 1>} : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

func.func @kernel_c3_type(%x: tensor<?x8xf32>) -> tensor<?x8xbf16> {
  // expected-error @+1 {{update_pairs must be pairs of an input and a result of one type}}
  %y = k3.kernel(%x) {update_pairs = array<i64: 0, 0>} : (tensor<?x8xf32>) -> tensor<?x8xbf16> {
  ^bb0(%a: tensor<?x8xf32>):
    %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xbf16>
    k3.yield %n : tensor<?x8xbf16>
  }
  return %y : tensor<?x8xbf16>
}
