// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @delta_rule(
// CHECK: k3.delta_rule {{.*}} -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
func.func @delta_rule(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}
