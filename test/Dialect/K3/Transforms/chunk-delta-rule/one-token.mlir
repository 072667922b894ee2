// RUN: k3-opt %s --k3-chunk-delta-rule | FileCheck %s

// CHECK-LABEL: func.func @decode(
// CHECK: k3.delta_rule
func.func @decode(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
    attributes {k3.one_token} {
  %g = k3.gate %z {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 :
    tensor<?x2x8xf32>, tensor<?x2x8x8xf32>
}

// CHECK-LABEL: func.func @one_row(
// CHECK: k3.delta_rule
func.func @one_row(%q: tensor<1x2x8xf32>, %k: tensor<1x2x8xf32>,
    %v: tensor<1x2x8xf32>, %z: tensor<1x2x8xf32>, %beta: tensor<1x2xf32>,
    %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>)
    -> (tensor<1x2x8xf32>, tensor<?x2x8x8xf32>) {
  %g = k3.gate %z {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>,
       tensor<1x2x8xf32>, tensor<1x2xf32>, tensor<?x2x8x8xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>)
    -> (tensor<1x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 :
    tensor<1x2x8xf32>, tensor<?x2x8x8xf32>
}

// CHECK-LABEL: func.func @two_rows(
// CHECK-NOT: k3.delta_rule
func.func @two_rows(%q: tensor<2x2x8xf32>, %k: tensor<2x2x8xf32>,
    %v: tensor<2x2x8xf32>, %z: tensor<2x2x8xf32>, %beta: tensor<2x2xf32>,
    %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>)
    -> (tensor<2x2x8xf32>, tensor<?x2x8x8xf32>) {
  %g = k3.gate %z {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<2x2x8xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>,
       tensor<2x2x8xf32>, tensor<2x2xf32>, tensor<?x2x8x8xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>)
    -> (tensor<2x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 :
    tensor<2x2x8xf32>, tensor<?x2x8x8xf32>
}
