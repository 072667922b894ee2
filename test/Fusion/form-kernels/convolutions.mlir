// RUN: k3-opt %s --k3-form-kernels | FileCheck %s

// Convolutions of the same sequences share a kernel, each with its own state.
// CHECK-LABEL: func.func @together(
// CHECK: k3.kernel
// CHECK-SAME: {update_pairs = array<i64: 2, 1, 6, 3>}
// CHECK-NEXT: ^bb0
// CHECK-NEXT: k3.short_conv
// CHECK-NEXT: k3.short_conv
// CHECK-NEXT: k3.yield
func.func @together(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
    %a0: tensor<?x8x3xf32>, %b0: tensor<?x8x3xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> (tensor<?x8xf32>,
    tensor<?x8x3xf32>, tensor<?x8xf32>, tensor<?x8x3xf32>) {
  %y, %a1 = k3.short_conv %x, %w, %a0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  %z, %b1 = k3.short_conv %x, %w, %b0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  return %y, %a1, %z, %b1 : tensor<?x8xf32>, tensor<?x8x3xf32>,
      tensor<?x8xf32>, tensor<?x8x3xf32>
}

// One that reads the other does not share its kernel.
// CHECK-LABEL: func.func @chained(
// CHECK: k3.short_conv
// CHECK-NEXT: k3.yield
// CHECK: k3.short_conv
// CHECK-NEXT: k3.yield
func.func @chained(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>,
    %a0: tensor<?x8x3xf32>, %b0: tensor<?x8x3xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x8xf32> {
  %y, %a1 = k3.short_conv %x, %w, %a0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  %z, %b1 = k3.short_conv %y, %w, %b0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<?x8x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8x3xf32>)
  return %z : tensor<?x8xf32>
}
