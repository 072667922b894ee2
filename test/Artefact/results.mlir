// RUN: k3-compile %s --compile-to=artefact | FileCheck %s

// Arguments and values that are returned twice are copied.
// CHECK-LABEL: entry copies
// CHECK: launch linear(input 0, input 1, output 1)
// CHECK-NEXT: copy(input 0, output 0) bytes 128 * T + 0
// CHECK-NEXT: copy(output 1, output 2) bytes 256 * T + 0
// CHECK-NEXT: copy(input 1, output 3) bytes 8192
func.func @copies(%x: tensor<?x32xf32>, %w: tensor<64x32xf32>)
    -> (tensor<?x32xf32>, tensor<?x64xf32>, tensor<?x64xf32>,
        tensor<64x32xf32>) {
  %y = k3.linear %x, %w
    : (tensor<?x32xf32>, tensor<64x32xf32>) -> tensor<?x64xf32>
  return %x, %y, %y, %w : tensor<?x32xf32>, tensor<?x64xf32>,
    tensor<?x64xf32>, tensor<64x32xf32>
}

// A copy of two dynamic sizes is made as an update.
// CHECK-LABEL: entry square
// CHECK: output 0 updates input 0
func.func @square(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// Without dynamic sizes there are no symbols.
// CHECK-LABEL: entry fixed
// CHECK-NEXT: input arg0 4x32xf32
// CHECK: output result0 4x64xf32
// CHECK-NEXT: launch linear.1(input 0, input 1, output 0) dims() grid 1
func.func @fixed(%x: tensor<4x32xf32>, %w: tensor<64x32xf32>)
    -> tensor<4x64xf32> {
  %y = k3.linear %x, %w
    : (tensor<4x32xf32>, tensor<64x32xf32>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}
