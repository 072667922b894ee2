// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @set_state_c1_unknown(%s1: tensor<?x8xf32>) {
  // expected-error @+1 {{'@s' must be a k3.state whose pool has type 'tensor<?x8xf32>'}}
  k3.set_state @s, %s1 : tensor<?x8xf32>
  return
}

// -----

k3.state @s : tensor<8xf32>

func.func @set_state_c1_element(%s1: tensor<?x8xbf16>) {
  // expected-error @+1 {{'@s' must be a k3.state whose pool has type 'tensor<?x8xbf16>'}}
  k3.set_state @s, %s1 : tensor<?x8xbf16>
  return
}
