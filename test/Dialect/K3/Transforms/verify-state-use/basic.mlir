// RUN: k3-opt %s --k3-verify-state-use | FileCheck %s

k3.state @cache : tensor<?x80xf32>

// A reader behind the append reads what the append made.
// CHECK-LABEL: func.func @append_then_attend(
func.func @append_then_attend(%q: tensor<?x4x80xf32>, %c: tensor<?x64xf32>,
    %r: tensor<?x16xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x4x64xf32> {
  %c0 = k3.get_state @cache : tensor<?x?x80xf32>
  %c1 = k3.latent_append %c, %r, %c0 seqs(%cu, %slots, %lens)
    : (tensor<?x64xf32>, tensor<?x16xf32>, tensor<?x?x80xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x80xf32>
  k3.set_state @cache, %c1 : tensor<?x?x80xf32>
  %o = k3.latent_attend %q, %c1 seqs(%cu, %slots, %lens) {scale = 1.0 : f64}
    : (tensor<?x4x80xf32>, tensor<?x?x80xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x4x64xf32>
  return %o : tensor<?x4x64xf32>
}

// A reader in front of the append reads the old tokens.
// CHECK-LABEL: func.func @attend_then_append(
func.func @attend_then_append(%q: tensor<?x4x80xf32>, %c: tensor<?x64xf32>,
    %r: tensor<?x16xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x4x64xf32> {
  %c0 = k3.get_state @cache : tensor<?x?x80xf32>
  %o = k3.latent_attend %q, %c0 seqs(%cu, %slots, %lens) {scale = 1.0 : f64}
    : (tensor<?x4x80xf32>, tensor<?x?x80xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x4x64xf32>
  %c1 = k3.latent_append %c, %r, %c0 seqs(%cu, %slots, %lens)
    : (tensor<?x64xf32>, tensor<?x16xf32>, tensor<?x?x80xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x80xf32>
  k3.set_state @cache, %c1 : tensor<?x?x80xf32>
  return %o : tensor<?x4x64xf32>
}
