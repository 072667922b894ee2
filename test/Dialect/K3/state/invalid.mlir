// RUN: k3-opt %s --split-input-file --verify-diagnostics

module @state_c1_dynamic {
  // expected-error @+1 {{type must be a bf16 or f32 tensor with static positive dimensions after an optional leading '?', got 'tensor<2x?xf32>'}}
  k3.state @s : tensor<2x?xf32>
}

// -----

module @state_c1_empty {
  // expected-error @+1 {{static positive dimensions after an optional leading '?', got 'tensor<2x0xf32>'}}
  k3.state @s : tensor<2x0xf32>
}

// -----

module @state_c1_scalar {
  // expected-error @+1 {{static positive dimensions after an optional leading '?', got 'tensor<f32>'}}
  k3.state @s : tensor<f32>
}

// -----

module @state_c1_element {
  // expected-error @+1 {{type must be a bf16 or f32 tensor}}
  k3.state @s : tensor<2x4xi32>
}

// -----

module @state_c1_kind {
  // expected-error @+1 {{type must be a bf16 or f32 tensor}}
  k3.state @s : f32
}
