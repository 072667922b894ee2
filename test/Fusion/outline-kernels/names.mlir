// RUN: k3-opt %s --k3-form-kernels --k3-outline-kernels | FileCheck %s

// A name tells the ops in order and how many; views do not count. Equal names
// and names that something else has are told apart by a number.
// CHECK: k3.weight @sigmoid
k3.weight @sigmoid : tensor<8xf32> from "w" : tensor<8xf32>

// CHECK-LABEL: func.func @names(
// CHECK: k3.launch @linear2(
// CHECK: k3.launch @add2_l2_norm(
// CHECK: k3.launch @linear2.1(
// CHECK: k3.launch @sigmoid.1(
func.func @names(%x: tensor<?x8xf32>, %m: tensor<8x8xf32>, %n: tensor<4x8xf32>)
    -> (tensor<?x2x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = k3.linear %x, %m
    : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %1 = k3.linear %x, %m
    : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %2 = k3.add %0, %1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = k3.add %2, %1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = k3.reshape %3 : (tensor<?x8xf32>) -> tensor<?x2x4xf32>
  %5 = k3.l2_norm %4 {eps = 1.0e-6 : f64, scale = 1.0 : f64}
    : (tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
  %6 = k3.linear %3, %n
    : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %7 = k3.linear %3, %n
    : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %8 = k3.sigmoid %6 {scale = 1.0 : f64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %5, %7, %8 : tensor<?x2x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
