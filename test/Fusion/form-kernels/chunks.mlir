// RUN: k3-opt %s --k3-chunk-delta-rule --k3-form-kernels | FileCheck %s

// The steps of one recurrence are one kernel.
// CHECK-LABEL: func.func @kimi_k3(
// CHECK: k3.kernel(
// CHECK: k3.gate
// CHECK: k3.kernel(
// CHECK: k3.chunk_decay
// CHECK: k3.chunk_output
// CHECK-NEXT: k3.yield
// CHECK-NOT: k3.kernel(
// CHECK: return
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
