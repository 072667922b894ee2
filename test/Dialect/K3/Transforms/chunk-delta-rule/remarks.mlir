// RUN: k3-opt %s --k3-chunk-delta-rule --remark-format=emitRemark \
// RUN:   --remarks-filter=k3-chunk-delta-rule -o /dev/null 2>&1 | FileCheck %s

// CHECK: remark: {{.*}}chunks of 64; log-decay in [-5, 0], sub-tiles of 16: anchored at row 7, |exponent| <= 40 (57.7078 in base 2, limit 62)
// CHECK: remark: {{.*}}chunks of 64; log-decay in [-inf, 0], sub-tiles of 16: pairwise differences: no lower bound is known
// CHECK: remark: {{.*}}chunks of 64; no decay: no exponents
func.func @kimi_k3(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
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

func.func @kimi_linear(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
  %g = k3.gate %z {map = #k3.gate_map<softplus>}
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

func.func @deltanet(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) beta(%beta) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<none>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2xf32>, tensor<?x2x8x8xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 :
    tensor<?x2x8xf32>, tensor<?x2x8x8xf32>
}
