// RUN: k3-opt %s --k3-verify-state-use --split-input-file --verify-diagnostics

k3.state @conv : tensor<8x3xf32>

func.func @updated_twice(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
    %i: tensor<?xi32>) -> tensor<?x8xf32> {
  %s0 = k3.get_state @conv : tensor<?x8x3xf32>
  // expected-note @+1 {{updated here}}
  %y0, %s1 = k3.short_conv %x, %w, %s0 seqs(%i, %i, %i)
    {activation = #k3.activation<none>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  // expected-error @+1 {{reads a state that was updated before it}}
  %y, %s2 = k3.short_conv %y0, %w, %s0 seqs(%i, %i, %i)
    {activation = #k3.activation<none>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  return %y : tensor<?x8xf32>
}

// -----

k3.state @conv : tensor<8x3xf32>

func.func @read_twice(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
    %i: tensor<?xi32>) -> tensor<?x8xf32> {
  %s0 = k3.get_state @conv : tensor<?x8x3xf32>
  %y0, %s1 = k3.short_conv %x, %w, %s0 seqs(%i, %i, %i)
    {activation = #k3.activation<none>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  k3.set_state @conv, %s1 : tensor<?x8x3xf32>
  // expected-error @+1 {{reads '@conv' again or after its update}}
  %s2 = k3.get_state @conv : tensor<?x8x3xf32>
  %y, %s3 = k3.short_conv %y0, %w, %s2 seqs(%i, %i, %i)
    {activation = #k3.activation<none>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  return %y : tensor<?x8xf32>
}

// -----

k3.state @conv : tensor<8x3xf32>

func.func @written_twice(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
    %i: tensor<?xi32>) -> tensor<?x8xf32> {
  %s0 = k3.get_state @conv : tensor<?x8x3xf32>
  %y0, %s1 = k3.short_conv %x, %w, %s0 seqs(%i, %i, %i)
    {activation = #k3.activation<none>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  k3.set_state @conv, %s1 : tensor<?x8x3xf32>
  %y, %s2 = k3.short_conv %y0, %w, %s1 seqs(%i, %i, %i)
    {activation = #k3.activation<none>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  // expected-error @+1 {{writes '@conv' again}}
  k3.set_state @conv, %s2 : tensor<?x8x3xf32>
  return %y : tensor<?x8xf32>
}

// -----

k3.state @conv : tensor<8x3xf32>
k3.state @other : tensor<8x3xf32>

func.func @written_from_another(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
    %i: tensor<?xi32>) -> tensor<?x8xf32> {
  %s0 = k3.get_state @conv : tensor<?x8x3xf32>
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%i, %i, %i)
    {activation = #k3.activation<none>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  // expected-error @+1 {{writes '@other' with a value that was not made from it in place}}
  k3.set_state @other, %s1 : tensor<?x8x3xf32>
  return %y : tensor<?x8xf32>
}

// -----

k3.state @conv : tensor<8x3xf32>

func.func @written_with_an_argument(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
    %i: tensor<?xi32>, %p: tensor<?x8x3xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{writes '@conv' with a value that was not made from it in place}}
  k3.set_state @conv, %p : tensor<?x8x3xf32>
  %y = k3.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

func.func @cache_read_after_append(%q: tensor<?x4x80xf32>,
    %c: tensor<?x64xf32>, %r: tensor<?x16xf32>, %c0: tensor<?x?x80xf32>,
    %i: tensor<?xi32>) -> tensor<?x4x64xf32> {
  // expected-note @+1 {{updated here}}
  %c1 = k3.latent_append %c, %r, %c0 seqs(%i, %i, %i)
    : (tensor<?x64xf32>, tensor<?x16xf32>, tensor<?x?x80xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x80xf32>
  // expected-error @+1 {{reads a state that was updated before it}}
  %o = k3.latent_attend %q, %c0 seqs(%i, %i, %i) {scale = 1.0 : f64}
    : (tensor<?x4x80xf32>, tensor<?x?x80xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x4x64xf32>
  return %o : tensor<?x4x64xf32>
}

// -----

func.func @returned_after_update(%c: tensor<?x64xf32>, %r: tensor<?x16xf32>,
    %c0: tensor<?x?x80xf32>, %i: tensor<?xi32>) -> tensor<?x?x80xf32> {
  // expected-note @+1 {{updated here}}
  %c1 = k3.latent_append %c, %r, %c0 seqs(%i, %i, %i)
    : (tensor<?x64xf32>, tensor<?x16xf32>, tensor<?x?x80xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x80xf32>
  // expected-error @+1 {{reads a state that was updated before it}}
  return %c0 : tensor<?x?x80xf32>
}
