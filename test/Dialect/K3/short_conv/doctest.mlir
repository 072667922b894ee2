// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @short_conv(
// CHECK: k3.short_conv {{.*}} -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>)
func.func @short_conv(%x: tensor<?x256xbf16>, %w: tensor<256x4xf32>,
    %s0: tensor<?x256x3xbf16>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>) {
  %y, %s1 = k3.short_conv %x, %w, %s0 seqs(%cu, %slots, %lens)
    {activation = #k3.activation<silu>}
    : (tensor<?x256xbf16>, tensor<256x4xf32>, tensor<?x256x3xbf16>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x256xbf16>, tensor<?x256x3xbf16>)
  return %y, %s1 : tensor<?x256xbf16>, tensor<?x256x3xbf16>
}
