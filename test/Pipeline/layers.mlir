// RUN: k3-compile %s --compile-to=artefact | FileCheck %s

// Layers of one shape share their kernels: three layers are one product.
// CHECK: kernel linear scratch
// CHECK-NOT: {{^}}kernel
// CHECK: launch linear(input 0, weight 0, arena 0) {{.*}} # layers.0
// CHECK: launch linear(arena 0, weight 1, arena 1) {{.*}} # layers.1
// CHECK: launch linear(arena 1, weight 2, output 0) {{.*}} # layers.2
k3.weight @w0 : tensor<64x64xbf16> from "w0" : tensor<64x64xbf16>
k3.weight @w1 : tensor<64x64xbf16> from "w1" : tensor<64x64xbf16>
k3.weight @w2 : tensor<64x64xbf16> from "w2" : tensor<64x64xbf16>
func.func @f(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w0 = k3.get_weight @w0 : tensor<64x64xbf16>
  %w1 = k3.get_weight @w1 : tensor<64x64xbf16>
  %w2 = k3.get_weight @w2 : tensor<64x64xbf16>
  %0 = k3.linear %x, %w0
    : (tensor<?x64xf32>, tensor<64x64xbf16>) -> tensor<?x64xf32>
    loc("layers.0")
  %1 = k3.linear %0, %w1
    : (tensor<?x64xf32>, tensor<64x64xbf16>) -> tensor<?x64xf32>
    loc("layers.1")
  %2 = k3.linear %1, %w2
    : (tensor<?x64xf32>, tensor<64x64xbf16>) -> tensor<?x64xf32>
    loc("layers.2")
  return %2 : tensor<?x64xf32>
}
