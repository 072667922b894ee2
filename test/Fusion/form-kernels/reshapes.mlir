// RUN: k3-opt %s --k3-form-kernels --split-input-file | FileCheck %s

// A view is repeated in each kernel that reads it, so a product's result leaves
// its kernel once.
// CHECK-LABEL: func.func @repeated(
// CHECK: %[[L:.*]] = k3.kernel
// CHECK: k3.linear
// CHECK-NEXT: k3.yield {{.*}} : tensor<?x16xf32>
// CHECK: %[[N:.*]] = k3.kernel(%[[L]])
// CHECK: k3.reshape
// CHECK-NEXT: k3.l2_norm
// CHECK-NEXT: k3.yield {{.*}} : tensor<?x2x8xf32>
// CHECK: k3.kernel(%[[N]], %{{.*}})
// CHECK: k3.reshape
// CHECK-NEXT: k3.linear
// CHECK: k3.kernel({{.*}}%[[L]]
// CHECK: k3.reshape
// CHECK-NEXT: k3.absorb_query
// CHECK-NOT: k3.reshape
func.func @repeated(%x: tensor<?x8xf32>, %w: tensor<16x8xf32>,
    %m: tensor<4x16xf32>, %kv: tensor<16x8xf32>)
    -> (tensor<?x4xf32>, tensor<?x2x12xf32>) {
  %l = k3.linear %x, %w
    : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
  %h = k3.reshape %l : (tensor<?x16xf32>) -> tensor<?x2x8xf32>
  %n = k3.l2_norm %h {eps = 1.0e-6 : f64, scale = 1.0 : f64}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  %r = k3.reshape %n : (tensor<?x2x8xf32>) -> tensor<?x16xf32>
  %y = k3.linear %r, %m
    : (tensor<?x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  %q = k3.absorb_query %h, %kv {qk_nope_head_dim = 4}
    : (tensor<?x2x8xf32>, tensor<16x8xf32>) -> tensor<?x2x12xf32>
  return %y, %q : tensor<?x4xf32>, tensor<?x2x12xf32>
}

// -----

// A view that is returned is made by the kernel of its value.
// CHECK-LABEL: func.func @returned(
// CHECK: %[[Y:.*]] = k3.kernel
// CHECK: k3.linear
// CHECK-NEXT: k3.reshape
// CHECK-NEXT: k3.yield {{.*}} : tensor<?x2x8xf32>
// CHECK: return %[[Y]]
func.func @returned(%x: tensor<?x8xf32>, %w: tensor<16x8xf32>)
    -> tensor<?x2x8xf32> {
  %l = k3.linear %x, %w
    : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
  %h = k3.reshape %l : (tensor<?x16xf32>) -> tensor<?x2x8xf32>
  return %h : tensor<?x2x8xf32>
}
