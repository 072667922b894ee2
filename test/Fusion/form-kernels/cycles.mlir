// RUN: k3-opt %s --k3-form-kernels | FileCheck %s

// The sum reads the norm and a product of the norm: together they would run
// both before and after the product.
// CHECK-LABEL: func.func @around_a_product(
// CHECK: k3.rms_norm
// CHECK-NEXT: k3.yield
// CHECK: k3.linear
// CHECK-NEXT: k3.yield
// CHECK: k3.add
// CHECK-NEXT: k3.yield
func.func @around_a_product(%x: tensor<?x8xf32>, %w: tensor<8xf32>,
    %m: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %n = k3.rms_norm %x, %w {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %l = k3.linear %n, %m
    : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %y = k3.add %n, %l : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Two products of one value whose results meet again in front of a third one
// of it: the third needs the others' results as its weight.
// CHECK-LABEL: func.func @product_of_a_product(
// CHECK: k3.linear
// CHECK-NEXT: k3.yield
// CHECK: k3.linear
// CHECK-NEXT: k3.yield
func.func @product_of_a_product(%x: tensor<8x8xf32>, %m: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %a = k3.linear %x, %m
    : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = k3.linear %x, %a
    : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
