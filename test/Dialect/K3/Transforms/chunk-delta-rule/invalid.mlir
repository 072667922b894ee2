// RUN: k3-opt %s --k3-chunk-delta-rule -split-input-file -o /dev/null \
// RUN:   -verify-diagnostics

func.func @positive(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2x8xf32>
      {k3.log_decay_bounds = array<f64: -5.0, 0.5>},
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
  // expected-error@+1 {{K3-E0520: log-decays may be as large as 0.5; chunks need log-decays that are not positive}}
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

// -----

// expected-error@+2 {{K3-E0521: k3.log_decay_bounds must be an array of two f64, the lower bound first}}
func.func @malformed(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2x8xf32>
      {k3.log_decay_bounds = array<f64: 0.0, -5.0>},
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
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
