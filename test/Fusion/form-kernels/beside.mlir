// RUN: k3-opt %s --k3-form-kernels | FileCheck %s

// Row-wise ops without values between them share a kernel in front of their
// common reader.
// CHECK-LABEL: func.func @before_the_recurrence(
// CHECK: k3.kernel
// CHECK-NEXT: ^bb0
// CHECK-NEXT: k3.l2_norm
// CHECK-NEXT: k3.l2_norm
// CHECK-NEXT: k3.gate
// CHECK-NEXT: k3.sigmoid
// CHECK-NEXT: k3.yield
// CHECK: k3.kernel
// CHECK-SAME: {update_pairs = array<i64: 5, 1>}
// CHECK-NEXT: ^bb0
// CHECK-NEXT: k3.delta_rule
// CHECK-NEXT: k3.yield
func.func @before_the_recurrence(%x: tensor<?x2x8xf32>, %y: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>, %b: tensor<?x2xf32>,
    %a: tensor<2xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
  %q = k3.l2_norm %x {eps = 1.0e-6 : f64, scale = 1.0 : f64}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  %k = k3.l2_norm %y {eps = 1.0e-6 : f64, scale = 1.0 : f64}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  %g = k3.gate %z a_log(%a) {map = #k3.gate_map<softplus>}
    : (tensor<?x2x8xf32>, tensor<2xf32>) -> tensor<?x2x8xf32>
  %beta = k3.sigmoid %b {scale = 1.0 : f64} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x2x8x8xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 : tensor<?x2x8xf32>, tensor<?x2x8x8xf32>
}

// What starts behind one kernel at the same time shares the next one.
// CHECK-LABEL: func.func @behind_the_products(
// CHECK: k3.linear
// CHECK-NEXT: k3.linear
// CHECK: k3.kernel
// CHECK-NEXT: ^bb0
// CHECK-NEXT: k3.sigmoid
// CHECK-NEXT: k3.add
// CHECK-NEXT: k3.yield
func.func @behind_the_products(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>,
    %u: tensor<6x8xf32>) -> (tensor<?x4xf32>, tensor<?x6xf32>) {
  %0 = k3.linear %x, %w
    : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %1 = k3.linear %x, %u
    : (tensor<?x8xf32>, tensor<6x8xf32>) -> tensor<?x6xf32>
  %2 = k3.sigmoid %0 {scale = 1.0 : f64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = k3.add %1, %1 : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %2, %3 : tensor<?x4xf32>, tensor<?x6xf32>
}

// Rows of tokens and rows of sequences have no kernel in common.
// CHECK-LABEL: func.func @rows_differ(
// CHECK: k3.add
// CHECK-NEXT: k3.yield
// CHECK: k3.last_token
// CHECK-NEXT: k3.yield
// CHECK: k3.add
// CHECK-NEXT: k3.yield
func.func @rows_differ(%x: tensor<?x8xf32>, %cu: tensor<?xi32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = k3.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = k3.last_token %x, %cu
    : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  %2 = k3.add %1, %1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0, %2 : tensor<?x8xf32>, tensor<?x8xf32>
}
