// RUN: k3-opt %s --k3-print-decay-bounds -o /dev/null -verify-diagnostics

// Kimi K3: 8 steps of -5 on the longer side of row 7.
func.func @bounded(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %g = k3.gate %z {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  // expected-remark@+1 {{log-decay in [-5, 0], sub-tiles of 16: anchored at row 7, |exponent| <= 40 (57.7078 in base 2, limit 62)}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

// A low rank that reads the undecayed state has one step more before row 7.
func.func @undecayed(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %g = k3.gate %z {map = #k3.gate_map<bounded>, lower_bound = -5.0 : f64}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  // expected-remark@+1 {{anchored at row 7, |exponent| <= 40 (}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) a(%k) b(%q)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<low_rank>,
     write = #k3.write<value>, read_state = #k3.read_state<undecayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8x8xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

func.func @softplus(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %g = k3.gate %z {map = #k3.gate_map<softplus>}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  // expected-remark@+1 {{log-decay in [-inf, 0], sub-tiles of 16: pairwise differences: no lower bound is known}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

func.func @log_sigmoid(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %g = k3.gate %z {map = #k3.gate_map<log_sigmoid>, normalizer = 16.0 : f64}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  // expected-remark@+1 {{pairwise differences: no lower bound is known}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

func.func @unknown(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2x8xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  // expected-remark@+1 {{log-decay in [-inf, inf], sub-tiles of 16: pairwise differences: no upper bound is known}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

// 5.3 * 8 = 42.4 is below 62 ln 2 = 42.98, and 5.4 * 8 = 43.2 above.
func.func @stated_below(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2x8xf32>
      {k3.log_decay_bounds = array<f64: -5.3, 0.0>},
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  // expected-remark@+1 {{anchored at row 7, |exponent| <= 42.4 (}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

func.func @stated_above(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2x8xf32>
      {k3.log_decay_bounds = array<f64: -5.4, 0.0>},
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  // expected-remark@+1 {{pairwise differences: factors would need |exponent| <= 43.2, the limit is 42.9751}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

// What is stated about an op narrows what its map says.
func.func @stated_op(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %g = k3.gate %z {map = #k3.gate_map<softplus>,
    k3.log_decay_bounds = array<f64: -2.0, 1.0>}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  // expected-remark@+1 {{log-decay in [-2, 0], sub-tiles of 16: anchored at row 7, |exponent| <= 16 (}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

// Views keep bounds.
func.func @reshaped(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x16xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %flat = k3.gate %z {map = #k3.gate_map<bounded>, lower_bound = -1.0 : f64}
    : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %g = k3.reshape %flat : (tensor<?x16xf32>) -> tensor<?x2x8xf32>
  // expected-remark@+1 {{log-decay in [-1, 0], sub-tiles of 16: anchored at row 7, |exponent| <= 8 (}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

func.func @head(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %g = k3.gate %z {map = #k3.gate_map<softplus>}
    : (tensor<?x2xf32>) -> tensor<?x2xf32>
  // expected-remark@+1 {{log-decay in [-inf, 0], sub-tiles of 16: scalar exponents, none positive}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<head>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

func.func @retnet(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %g = arith.constant dense<[-0.03125, -0.015625]> : tensor<2xf32>
  // expected-remark@+1 {{log-decay in [-0.03125, -0.015625], sub-tiles of 16: scalar exponents, none positive}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<head_constant>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<2xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

// A part of a tensor lies where the whole does.
func.func @sliced(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x16xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %wide = k3.gate %z {map = #k3.gate_map<bounded>, lower_bound = -1.0 : f64}
    : (tensor<?x2x16xf32>) -> tensor<?x2x16xf32>
  %g = k3.slice %wide {offset = 8 : i64}
    : (tensor<?x2x16xf32>) -> tensor<?x2x8xf32>
  // expected-remark@+1 {{anchored at row 7, |exponent| <= 8 (}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}

func.func @none(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  // expected-remark@+1 {{no decay: no exponents}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<none>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2xf32>, tensor<?x2x8x8xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}
