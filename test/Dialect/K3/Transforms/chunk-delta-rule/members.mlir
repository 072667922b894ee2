// RUN: k3-opt %s --k3-chunk-delta-rule | FileCheck %s

// Without an erase there is nothing to invert.
// CHECK-LABEL: func.func @linear_attention(
// CHECK-NOT: k3.chunk_decay
// CHECK-NOT: k3.chunk_inverse
// CHECK-NOT: k3.chunk_wu
// CHECK: k3.chunk_gram {{.*}}form = #k3.decay_form<plain>
// CHECK: %{{.*}}, %{{.*}}, %[[MORE:.*]]:2 = k3.chunk_step q({{.*}}) k({{.*}}) v({{.*}}) state({{.*}}) normalizer(
// CHECK: k3.chunk_output {{.*}} weight(%[[MORE]]#0)
func.func @linear_attention(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %s0: tensor<?x2x8x8xf32>, %n0: tensor<?x2x8xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>, tensor<?x2x8xf32>) {
  %o, %s1, %n1 = k3.delta_rule q(%q) k(%k) v(%v) state(%s0) normalizer(%n0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<none>, erase = #k3.erase<none>,
     write = #k3.write<value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true,
     normalizer_eps = 1.0e-5 : f64}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8x8xf32>, tensor<?x2x8xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>, tensor<?x2x8xf32>)
  return %o, %s1, %n1 :
    tensor<?x2x8xf32>, tensor<?x2x8x8xf32>, tensor<?x2x8xf32>
}

// One decay a head: [T, HV] sums.
// CHECK-LABEL: func.func @retnet(
// CHECK: k3.chunk_decay g(%{{.*}}) rows(%{{.*}}) {{.*}} -> tensor<?x2xf32>
// CHECK: k3.chunk_gram {{.*}}form = #k3.decay_form<scalar>
func.func @retnet(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<2xf32>, %s0: tensor<?x2x8x8xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<head_constant>, erase = #k3.erase<none>,
     write = #k3.write<value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<2xf32>,
       tensor<?x2x8x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 :
    tensor<?x2x8xf32>, tensor<?x2x8x8xf32>
}

// CHECK-LABEL: func.func @hgrn2(
// CHECK: %[[KEY:.*]] = k3.chunk_tied_key
// CHECK: k3.chunk_gram x({{.*}}) y(%[[KEY]]) {{.*}}form = #k3.decay_form<pairwise>{{.*}}sub_tile = 64
// CHECK: k3.chunk_step q({{.*}}) k(%[[KEY]]) v(
func.func @hgrn2(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2x8xf32>, %s0: tensor<?x2x8x8xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
  %o, %s1 = k3.delta_rule q(%q) v(%v) g(%g) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<none>,
     write = #k3.write<tied_key>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 :
    tensor<?x2x8xf32>, tensor<?x2x8x8xf32>
}

// An upper bound is enough to factor what is off the diagonal.
// CHECK-LABEL: func.func @kimi_linear(
// CHECK: k3.chunk_gram {{.*}}form = #k3.decay_form<pairwise>{{.*}}sub_tile = 16
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

// The erase leaves out its own step.
// CHECK-LABEL: func.func @comba(
// CHECK-SAME: %[[G:[a-z0-9]*]]: tensor<?x2xf32>
// CHECK: %[[SUM:.*]] = k3.chunk_decay g(%[[G]])
// CHECK: k3.chunk_gram x(%[[A:.*]]) y(%[[K:.*]]) decay(%[[SUM]]) g(%[[G]]) {{.*}}diagonal = false
// CHECK: k3.chunk_wu inverse(%{{.*}}) y(%[[A]]) v({{.*}}) decay(%[[SUM]]) g(%[[G]]) beta(
// CHECK: k3.chunk_gram x(%{{.*}}) y(%[[K]]) decay(%[[SUM]]) seqs
func.func @comba(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2xf32>, %beta: tensor<?x2xf32>,
    %a: tensor<?x2x8xf32>, %s0: tensor<?x2x8x8xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta) a(%a) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<head>, erase = #k3.erase<own_key>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<undecayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 :
    tensor<?x2x8xf32>, tensor<?x2x8x8xf32>
}

// Erase and write have keys of their own: four Gram matrices.
// CHECK-LABEL: func.func @dplr(
// CHECK-COUNT-2: k3.chunk_gram {{.*}}diagonal = false
// CHECK: k3.chunk_inverse gram(%{{[a-z0-9_]*}}) seqs
// CHECK: k3.chunk_wu {{.*}} gram(%
// CHECK-COUNT-2: k3.chunk_gram {{.*}}diagonal = true
// CHECK: k3.chunk_step q({{.*}}) k({{.*}}) b({{.*}}) v(
// CHECK: k3.chunk_output {{.*}} erase_gram({{.*}}) pseudo({{.*}}) v(
func.func @dplr(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %g: tensor<?x2x8xf32>
      {k3.log_decay_bounds = array<f64: -5.0, 0.0>},
    %a: tensor<?x2x8xf32>, %b: tensor<?x2x8xf32>, %s0: tensor<?x2x8x8xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>) {
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) a(%a) b(%b) state(%s0)
    seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<low_rank>,
     write = #k3.write<value>, read_state = #k3.read_state<undecayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o, %s1 :
    tensor<?x2x8xf32>, tensor<?x2x8x8xf32>
}
