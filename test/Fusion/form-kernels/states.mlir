// RUN: k3-opt %s --k3-form-kernels | FileCheck %s

k3.state @cache : tensor<?x12xf32>

// The reader of the old tokens runs before the append, the other one after it;
// states are read first and written last.
// CHECK-LABEL: func.func @old_and_new(
// CHECK: %[[C0:.*]] = k3.get_state @cache
// CHECK: %[[OLD:.*]] = k3.kernel({{.*}}%[[C0]]
// CHECK: k3.latent_attend
// CHECK: %[[C1:.*]] = k3.kernel({{.*}}%[[C0]]
// CHECK-SAME: {update_pairs = array<i64: 2, 0>}
// CHECK: k3.latent_append
// CHECK: %[[NEW:.*]] = k3.kernel({{.*}}%[[C1]]
// CHECK: k3.latent_attend
// CHECK: k3.set_state @cache, %[[C1]]
// CHECK-NEXT: return %[[OLD]], %[[NEW]]
func.func @old_and_new(%q: tensor<?x2x12xf32>, %c: tensor<?x8xf32>,
    %r: tensor<?x4xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x8xf32>, tensor<?x2x8xf32>) {
  %c0 = k3.get_state @cache : tensor<?x?x12xf32>
  %old = k3.latent_attend %q, %c0 seqs(%cu, %slots, %lens) {scale = 1.0 : f64}
    : (tensor<?x2x12xf32>, tensor<?x?x12xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x2x8xf32>
  %c1 = k3.latent_append %c, %r, %c0 seqs(%cu, %slots, %lens)
    : (tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x?x12xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x12xf32>
  k3.set_state @cache, %c1 : tensor<?x?x12xf32>
  %new = k3.latent_attend %q, %c1 seqs(%cu, %slots, %lens) {scale = 1.0 : f64}
    : (tensor<?x2x12xf32>, tensor<?x?x12xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x2x8xf32>
  return %old, %new : tensor<?x2x8xf32>, tensor<?x2x8xf32>
}
