// RUN: k3-opt %s --k3-pack-weights | FileCheck %s

// CHECK: k3.weight @bf16_product {{.*}} {packing = #k3.packing<pair_panels>}
k3.weight @bf16_product : tensor<32x16xbf16> from "a" : tensor<32x16xbf16>
// CHECK: k3.weight @f32_product {{.*}} {packing = #k3.packing<panels>}
k3.weight @f32_product : tensor<8x16xf32> from "b" : tensor<8x16xf32>
// CHECK: k3.weight @norm : tensor<16xbf16> from "c" : tensor<16xbf16>{{$}}
k3.weight @norm : tensor<16xbf16> from "c" : tensor<16xbf16>
// CHECK: k3.weight @unread : tensor<8x16xf32> from "d" : tensor<8x16xf32>{{$}}
k3.weight @unread : tensor<8x16xf32> from "d" : tensor<8x16xf32>

// A table that is read by row and multiplied stays by row.
// CHECK: k3.weight @tied : tensor<32x16xbf16> from "e" : tensor<32x16xbf16>{{$}}
k3.weight @tied : tensor<32x16xbf16> from "e" : tensor<32x16xbf16>

// CHECK-LABEL: func.func @products(
// CHECK: k3.linear %{{.*}} {packing = #k3.packing<pair_panels>}
// CHECK: k3.linear %{{.*}} {packing = #k3.packing<panels>}
// CHECK: k3.linear %{{.*}}, %{{[0-9]+}} : (tensor<?x16xbf16>
func.func @products(%ids: tensor<?xi32>) -> (tensor<?x32xbf16>,
    tensor<?x8xf32>, tensor<?x32xbf16>) {
  %table = k3.get_weight @tied : tensor<32x16xbf16>
  %e = k3.embedding %ids, %table
    : (tensor<?xi32>, tensor<32x16xbf16>) -> tensor<?x16xbf16>
  %n = k3.get_weight @norm : tensor<16xbf16>
  %x = k3.rms_norm %e, %n {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x16xbf16>, tensor<16xbf16>) -> tensor<?x16xbf16>
  %a = k3.get_weight @bf16_product : tensor<32x16xbf16>
  %0 = k3.linear %x, %a
    : (tensor<?x16xbf16>, tensor<32x16xbf16>) -> tensor<?x32xbf16>
  %b = k3.get_weight @f32_product : tensor<8x16xf32>
  %1 = k3.linear %x, %b
    : (tensor<?x16xbf16>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %2 = k3.linear %x, %table
    : (tensor<?x16xbf16>, tensor<32x16xbf16>) -> tensor<?x32xbf16>
  return %0, %1, %2 : tensor<?x32xbf16>, tensor<?x8xf32>, tensor<?x32xbf16>
}
