// RUN: not k3-opt %s --k3-chunk-delta-rule=sub-tile=0 2>&1 | FileCheck %s
// RUN: not k3-opt %s --k3-chunk-delta-rule=sub-tile=65 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LARGE
// RUN: not k3-opt %s --k3-chunk-delta-rule=chunk-size=40 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MULTIPLE
// RUN: not k3-opt %s --k3-chunk-delta-rule=chunk-size=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ZERO
// RUN: not k3-opt %s --k3-chunk-delta-rule=chunk-size=272 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MOST
// RUN: not k3-opt %s --k3-form-kernels --k3-chunk-delta-rule 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORMED

// CHECK: K3-E0522: sub-tile must be 1 to 64, got 0
// LARGE: K3-E0522: sub-tile must be 1 to 64, got 65
// MULTIPLE: K3-E0523: chunk-size must be a multiple of sub-tile up to 256, got 40 and 16
// ZERO: K3-E0523: chunk-size must be a multiple of sub-tile up to 256, got 0 and 16
// MOST: K3-E0523: chunk-size must be a multiple of sub-tile up to 256, got 272 and 16
// FORMED: K3-E0524: is in a kernel already; chunks are chosen before kernels are formed
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
