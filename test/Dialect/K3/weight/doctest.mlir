// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK: k3.weight @layers.0.self_attn.A_log : tensor<2xf32> from
// CHECK-SAME: "model.layers.0.self_attn.A_log" : tensor<8xf32> {prefix}
k3.weight @layers.0.self_attn.A_log : tensor<2xf32>
  from "model.layers.0.self_attn.A_log" : tensor<8xf32> {prefix}

// A convolution's middle dimension of one falls away.
// CHECK: k3.weight @q_conv1d : tensor<256x4xf32> from "q_conv1d"
k3.weight @q_conv1d : tensor<256x4xf32> from "q_conv1d" : tensor<256x1x4xf32>

// Sixteen experts become one tensor.
// CHECK: k3.weight @experts {{.*}} {packing = #k3.packing<nibble_panels>, stack = 16 : i64}
k3.weight @experts : tensor<16x96x48xi8> from "experts.{}.w1" : tensor<96x48xi8>
  {packing = #k3.packing<nibble_panels>, stack = 16 : i64}
