// RUN: not k3-opt %s --k3-print-decay-bounds=sub-tile=0 2>&1 | FileCheck %s
// RUN: not k3-opt %s --k3-print-decay-bounds=sub-tile=65 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LARGE
// RUN: k3-opt %s --k3-print-decay-bounds=sub-tile=17 -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ODD
// RUN: k3-opt %s --k3-print-decay-bounds=sub-tile=1 -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: k3-opt %s --k3-form-kernels --k3-print-decay-bounds -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORMED

// CHECK: K3-E0522: sub-tile must be 1 to 64, got 0
// LARGE: K3-E0522: sub-tile must be 1 to 64, got 65
// An odd sub-tile has as many rows on either side of its middle, to which the
// undecayed read adds a step.
// ODD: sub-tiles of 17: anchored at row 8, |exponent| <= 27 (
// ONE: sub-tiles of 1: anchored at row 0, |exponent| <= 3 (
// FORMED: log-decay in [-3, 0], sub-tiles of 16: anchored at row 7
func.func @undecayed(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x8xf32> {
  %g = k3.gate %z {map = #k3.gate_map<bounded>, lower_bound = -3.0 : f64}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
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
