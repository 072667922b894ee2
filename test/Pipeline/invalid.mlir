// RUN: k3-opt %s --split-input-file --k3-phases=last=import --verify-diagnostics

// expected-error @+1 {{the module has no entry point (wanted a func.func)}}
module {}

// -----

// expected-error @+1 {{entry point has no body}}
func.func private @f(tensor<?x8xf32>) -> tensor<?x8xf32>

// -----

// expected-error @+1 {{entry point has an argument of type 'f32' (wanted a ranked tensor)}}
func.func @f(%a: f32) -> f32 {
  return %a : f32
}

// -----

// expected-error @+1 {{has control flow; states are updated in straight-line functions only}}
func.func @f(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  cf.br ^next
^next:
  return %a : tensor<?x8xf32>
}

// -----

func.func @f(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{op 'arith.addf' is not of the k3 dialect}}
  %b = arith.addf %a, %a : tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{op 'memref.global' stands outside of an entry point}}
memref.global @g : memref<4xf32>
func.func @f(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %a : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{tensor of 2^41 elements exceeds the limit of 2^40}}
func.func @f(%a: tensor<2199023255552xf32>) {
  return
}

// -----

// expected-error @+1 {{tensor of rank 9 exceeds the limit of 8}}
func.func @f(%a: tensor<1x1x1x1x1x1x1x1x1xf32>) {
  return
}
