// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @get_state_c1_unknown() -> tensor<?x8xf32> {
  // expected-error @+1 {{'@s' must be a k3.state whose pool has type 'tensor<?x8xf32>'}}
  %s = k3.get_state @s : tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

k3.state @s : tensor<8xf32>

func.func @get_state_c1_pool() -> tensor<4x8xf32> {
  // expected-error @+1 {{'@s' must be a k3.state whose pool has type 'tensor<4x8xf32>'}}
  %s = k3.get_state @s : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// -----

k3.weight @s : tensor<8xf32> from "s" : tensor<8xf32>

func.func @get_state_c1_weight() -> tensor<?x8xf32> {
  // expected-error @+1 {{'@s' must be a k3.state whose pool has type 'tensor<?x8xf32>'}}
  %s = k3.get_state @s : tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}
