// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @get_weight_c1_unknown() -> tensor<8xf32> {
  // expected-error @+1 {{'@w' must be a k3.weight of type 'tensor<8xf32>'}}
  %w = k3.get_weight @w : tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

k3.weight @w : tensor<8xf32> from "w" : tensor<8xf32>

func.func @get_weight_c1_type() -> tensor<8xbf16> {
  // expected-error @+1 {{'@w' must be a k3.weight of type 'tensor<8xbf16>'}}
  %w = k3.get_weight @w : tensor<8xbf16>
  return %w : tensor<8xbf16>
}

// -----

k3.state @w : tensor<8xf32>

func.func @get_weight_c1_state() -> tensor<8xf32> {
  // expected-error @+1 {{'@w' must be a k3.weight of type 'tensor<8xf32>'}}
  %w = k3.get_weight @w : tensor<8xf32>
  return %w : tensor<8xf32>
}
