// RUN: k3-opt %s --k3-form-kernels | FileCheck %s

// CHECK-LABEL: func.func @chain_without_reader(
// CHECK-NEXT: k3.kernel
// CHECK-NEXT: ^bb0
// CHECK-NEXT: k3.sigmoid
// CHECK-NEXT: k3.yield
// CHECK-NOT: k3.add
func.func @chain_without_reader(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = k3.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = k3.add %0, %0 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = k3.sigmoid %x {scale = 1.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @nothing_to_do(
// CHECK-NEXT: return
func.func @nothing_to_do(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
