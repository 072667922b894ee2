// RUN: k3-opt %s --k3-print-dimensions -o /dev/null | FileCheck %s
// RUN: k3-opt %s --k3-form-kernels --k3-print-dimensions -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=FORMED
// RUN: k3-opt %s --k3-form-kernels --k3-outline-kernels --k3-print-dimensions \
// RUN:   -o /dev/null | FileCheck %s --check-prefix=FORMED

k3.state @cache : tensor<?x12xf32>
k3.state @conv : tensor<8x3xf32>

// Rows of all token-major values are one number, entries of slots and
// context_lens another; rows of the last tokens are sequences.
// CHECK-LABEL: @layer
// CHECK-NEXT: argument 0: [T]
// CHECK-NEXT: argument 1: [bounds]
// CHECK-NEXT: argument 2: [N]
// CHECK-NEXT: argument 3: [N]
// CHECK-NEXT: argument 4: [16, 8]
// CHECK-NEXT: argument 5: [8, 4]
// CHECK: k3.embedding: [T, 8]
// CHECK: k3.get_state: [slots, 8, 3]
// CHECK: k3.short_conv: [T, 8], [slots, 8, 3]
// CHECK: k3.slice: [T, 4]
// CHECK: k3.get_state: [slots, capacity, 12]
// CHECK: k3.latent_append: [slots, capacity, 12]
// CHECK: k3.last_token: [N, 8]
// CHECK: k3.add: [N, 8]
// FORMED-LABEL: @layer
// FORMED-NEXT: argument 0: [T]
// FORMED-NEXT: argument 1: [bounds]
// FORMED-NEXT: argument 2: [N]
// FORMED-NEXT: argument 3: [N]
// FORMED: [T, 8]
// FORMED: [T, 8], [slots, 8, 3]
// FORMED: [slots, capacity, 12]
// FORMED: [N, 8]
// FORMED: [N, 8]
func.func @layer(%ids: tensor<?xi32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>, %table: tensor<16x8xf32>,
    %w: tensor<8x4xf32>) -> tensor<?x8xf32> {
  %x = k3.embedding %ids, %table
    : (tensor<?xi32>, tensor<16x8xf32>) -> tensor<?x8xf32>
  %s0 = k3.get_state @conv : tensor<?x8x3xf32>
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  k3.set_state @conv, %s1 : tensor<?x8x3xf32>
  %r = k3.slice %y {offset = 4} : (tensor<?x8xf32>) -> tensor<?x4xf32>
  %c0 = k3.get_state @cache : tensor<?x?x12xf32>
  %c1 = k3.latent_append %y, %r, %c0 seqs(%cu, %slots, %lens)
    : (tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x?x12xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x12xf32>
  k3.set_state @cache, %c1 : tensor<?x?x12xf32>
  %last = k3.last_token %y, %cu
    : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  %z = k3.add %last, %last
    : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// Nothing makes these equal.
// CHECK-LABEL: @apart
// CHECK-NEXT: argument 0: [T, 8]
// CHECK-NEXT: argument 1: [T1, 8]
// CHECK-NEXT: argument 2: [d2, 8]
// FORMED-LABEL: @apart
// FORMED-NEXT: argument 0: [T, 8]
// FORMED-NEXT: argument 1: [T1, 8]
// FORMED-NEXT: argument 2: [d2, 8]
func.func @apart(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %z: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = k3.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = k3.add %y, %y : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0, %1, %z : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
