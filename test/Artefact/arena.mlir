// RUN: k3-compile %s --compile-to=artefact | FileCheck %s

// Four products in a row need two blocks of the workspace; a block is as large
// as the largest value in it, and outputs are not in the workspace.
// CHECK-LABEL: entry chain
// CHECK: output
// CHECK-NEXT: block 512 * T + 0
// CHECK-NEXT: block 256 * T + 0
// CHECK-NEXT: launch linear(input 0, input 1, arena 0)
// CHECK-NEXT: launch linear(arena 0, input 1, arena 1)
// CHECK-NEXT: launch linear.1(arena 1, input 2, arena 0)
// CHECK-NEXT: launch linear.2(arena 0, input 3, output 0)
// CHECK-NOT: launch
func.func @chain(%x: tensor<?x64xf32>, %a: tensor<64x64xf32>,
                 %b: tensor<128x64xf32>, %c: tensor<32x128xf32>)
    -> tensor<?x32xf32> {
  %0 = k3.linear %x, %a
    : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = k3.linear %0, %a
    : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %2 = k3.linear %1, %b
    : (tensor<?x64xf32>, tensor<128x64xf32>) -> tensor<?x128xf32>
  %3 = k3.linear %2, %c
    : (tensor<?x128xf32>, tensor<32x128xf32>) -> tensor<?x32xf32>
  return %3 : tensor<?x32xf32>
}
