// RUN: k3-opt %s --k3-form-kernels --split-input-file --verify-diagnostics

func.func @foreign_op(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = k3.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // expected-error @+1 {{'arith.negf' op cannot be part of a kernel}}
  %1 = arith.negf %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{has control flow; kernels are formed in straight-line functions only}}
func.func @control_flow(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = k3.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  cf.br ^bb1
^bb1:
  return %0 : tensor<?x8xf32>
}

// -----

func.func @half_formed(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{was formed already; kernels are formed once, for all ops of a function}}
  %0 = k3.kernel(%x) {update_pairs = array<i64>} : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %n = k3.add %a, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    k3.yield %n : tensor<?x8xf32>
  }
  %1 = k3.add %0, %0 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
