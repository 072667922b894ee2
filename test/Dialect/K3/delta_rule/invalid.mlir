// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @delta_rule_c1(%q: tensor<?x2x128xf32>, %k: tensor<?x2x64xf32>,
    %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'k' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c2(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x3x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'v' must be [T, HV, V] with HV a multiple of 2, got 'tensor<?x3x128xbf16>'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x3x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c2_result(%q: tensor<?x2x128xf32>,
    %k: tensor<?x2x128xf32>, %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x64xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'o' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x64xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x64xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c3_shape(%q: tensor<?x2x128xf32>,
    %k: tensor<?x2x128xf32>, %v: tensor<?x2x128xbf16>, %g: tensor<?x2xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'g' must have shape [?, 2, 128], got 'tensor<?x2xf32>'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c3_given(%q: tensor<?x2x128xf32>,
    %k: tensor<?x2x128xf32>, %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'g' is given unless decay is 'none'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<none>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c4(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'beta' is not wanted for erase 'none' and write 'value'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<none>,
     write = #k3.write<value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c4_shape(%q: tensor<?x2x128xf32>,
    %k: tensor<?x2x128xf32>, %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>,
    %beta: tensor<?x4xf32>, %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'beta' must have shape [?, 2], got 'tensor<?x4xf32>'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x4xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c5_missing(%q: tensor<?x2x128xf32>,
    %k: tensor<?x2x128xf32>, %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'a' is wanted for erase 'own_key'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<own_key>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c5_shape(%q: tensor<?x2x128xf32>,
    %k: tensor<?x2x128xf32>, %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>,
    %beta: tensor<?x2xf32>, %a: tensor<?x2x64xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'a' must have shape [?, 2, 128], got 'tensor<?x2x64xf32>'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta) a(%a)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<own_key>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c5_unwanted(%q: tensor<?x2x128xf32>,
    %k: tensor<?x2x128xf32>, %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>,
    %beta: tensor<?x2xf32>, %a: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'a' is not wanted for erase 'delta'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta) a(%a)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c6(%q: tensor<?x2x128xf32>, %v: tensor<?x2x128xbf16>,
    %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'k' is wanted for write 'beta_value'}}
  %o, %s1 = k3.delta_rule q(%q) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c6_tied(%q: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op write 'tied_key' needs decay 'channel' and erase 'none' or 'low_rank'}}
  %o, %s1 = k3.delta_rule q(%q) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<tied_key>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c7(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x64xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x64xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'state' must have shape [?, 2, 128, 128], got 'tensor<?x2x128x64xf32>'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x64xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x64xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x64xf32>
}

// -----

func.func @delta_rule_c7_type(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<5x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'new_state' must have type 'tensor<?x2x128x128xf32>', got 'tensor<5x2x128x128xf32>'}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<5x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<5x2x128x128xf32>
}

// -----

func.func @delta_rule_c8(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op 'normalizer_state' and its result are given exactly with normalizer_eps}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, normalizer_eps = 1.0e-6 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c9(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %g: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op scale must be finite, got INF}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 0x7FF0000000000000 : f64, state_v_first = true}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>)
  return %o, %s1 : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>
}

// -----

func.func @delta_rule_c10(%q: tensor<?x2x12xf32>, %k: tensor<?x2x12xf32>,
    %v: tensor<?x2x12xbf16>, %g: tensor<?x2x12xf32>, %beta: tensor<?x2xf32>,
    %s0: tensor<?x2x12x12xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x12xf32>, tensor<?x2x12x12xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op head sizes K = 12, V = 12 are not supported; supported: multiples of 8 up to 512, or both below 8}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x12xf32>, tensor<?x2x12xf32>, tensor<?x2x12xbf16>,
       tensor<?x2x12xf32>, tensor<?x2xf32>, tensor<?x2x12x12xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x12xf32>, tensor<?x2x12x12xf32>)
  return %o, %s1 : tensor<?x2x12xf32>, tensor<?x2x12x12xf32>
}

// -----

func.func @delta_rule_c10_wide(%q: tensor<?x2x520xf32>,
    %k: tensor<?x2x520xf32>, %v: tensor<?x2x520xbf16>, %g: tensor<?x2x520xf32>,
    %beta: tensor<?x2xf32>, %s0: tensor<?x2x520x520xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> (tensor<?x2x520xf32>, tensor<?x2x520x520xf32>) {
  // expected-error @+1 {{'k3.delta_rule' op head sizes K = 520, V = 520 are not supported; supported: multiples of 8 up to 512, or both below 8}}
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<delta>,
     write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x520xf32>, tensor<?x2x520xf32>, tensor<?x2x520xbf16>,
       tensor<?x2x520xf32>, tensor<?x2xf32>, tensor<?x2x520x520xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x520xf32>, tensor<?x2x520x520xf32>)
  return %o, %s1 : tensor<?x2x520xf32>, tensor<?x2x520x520xf32>
}
