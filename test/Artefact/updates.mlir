// RUN: k3-compile %s --compile-to=artefact | FileCheck %s

// A pool that comes as an argument and is returned updated: the output starts
// as a copy of the input, and kernels work in the output.
// CHECK-LABEL: entry returned
// CHECK-NEXT: input x Tx64xf32
// CHECK-NEXT: input s slotsx64x3xf32
// CHECK: output y Tx64xf32
// CHECK-NEXT: output s1 slotsx64x3xf32
// CHECK-NEXT: output 1 updates input 1
// CHECK-NEXT: launch short_conv(input 0, input 5, output 1, input 2, input 3, input 4, output 0, output 1)
func.func @returned(%x: tensor<?x64xf32> {k3.name = "x"},
                    %s: tensor<?x64x3xf32> {k3.name = "s"},
                    %cu: tensor<?xi32>, %slots: tensor<?xi32>,
                    %lens: tensor<?xi32>, %w: tensor<64x4xf32>)
    -> (tensor<?x64xf32> {k3.name = "y"},
        tensor<?x64x3xf32> {k3.name = "s1"}) {
  %y, %s1 = k3.short_conv %x, %w, %s seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x64xf32>, tensor<64x4xf32>, tensor<?x64x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x64xf32>, tensor<?x64x3xf32>)
  return %y, %s1 : tensor<?x64xf32>, tensor<?x64x3xf32>
}

// Nobody gets the new pool: kernels work on a copy, since inputs are the
// caller's.
// CHECK-LABEL: entry dropped
// CHECK: block 768 * slots + 0
// CHECK-NEXT: copy(input 1, arena 0) bytes 768 * slots + 0
// CHECK-NEXT: launch short_conv(input 0, input 5, arena 0, input 2, input 3, input 4, output 0, arena 0)
func.func @dropped(%x: tensor<?x64xf32>, %s: tensor<?x64x3xf32>,
                   %cu: tensor<?xi32>, %slots: tensor<?xi32>,
                   %lens: tensor<?xi32>, %w: tensor<64x4xf32>)
    -> tensor<?x64xf32> {
  %y, %s1 = k3.short_conv %x, %w, %s seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x64xf32>, tensor<64x4xf32>, tensor<?x64x3xf32>, tensor<?xi32>,
       tensor<?xi32>, tensor<?xi32>) -> (tensor<?x64xf32>, tensor<?x64x3xf32>)
  return %y : tensor<?x64xf32>
}
