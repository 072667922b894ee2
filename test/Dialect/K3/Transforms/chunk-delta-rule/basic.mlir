// RUN: k3-opt %s --k3-chunk-delta-rule | FileCheck %s
// RUN: k3-opt %s --k3-chunk-delta-rule=chunk-size=32 | FileCheck %s \
// RUN:   --check-prefix=SIZE

// CHECK-LABEL: func.func @kimi_k3(
// CHECK: %[[G:.*]] = k3.gate
// CHECK: %[[SUM:.*]] = k3.chunk_decay g(%[[G]])
// CHECK: %[[AMONG:.*]] = k3.chunk_gram x(%[[K:.*]]) y(%[[K]]) decay(%[[SUM]]) seqs({{.*}}) {anchor = 7 : i64, chunk_size = 64 : i64, diagonal = false, form = #k3.decay_form<anchored>, log_decay_bounds = array<f64: -5.000000e+00, 0.000000e+00>, sub_tile = 16 : i64}
// CHECK: %[[INVERSE:.*]] = k3.chunk_inverse gram(%[[AMONG]]) beta(%[[BETA:.*]]) seqs
// CHECK: %[[W:.*]], %[[U:.*]] = k3.chunk_wu inverse(%[[INVERSE]]) y(%[[K]]) v(%[[V:.*]]) decay(%[[SUM]]) beta(%[[BETA]]) seqs
// CHECK: %[[READ:.*]] = k3.chunk_gram x(%[[Q:.*]]) y(%[[K]]) decay(%[[SUM]]) {{.*}}diagonal = true
// CHECK: %[[INTER:.*]], %[[S1:.*]], %[[PSEUDO:.*]] = k3.chunk_step q(%[[Q]]) k(%[[K]]) decay(%[[SUM]]) w(%[[W]]) u(%[[U]]) state(
// CHECK: %[[O:.*]] = k3.chunk_output read(%[[INTER]]) gram(%[[READ]]) pseudo(%[[PSEUDO]]) seqs
// CHECK: return %[[O]], %[[S1]]
// SIZE-LABEL: func.func @kimi_k3(
// SIZE: k3.chunk_gram {{.*}}chunk_size = 32 : i64{{.*}}-> tensor<?x2x32xf32>
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
