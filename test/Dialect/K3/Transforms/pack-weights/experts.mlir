// RUN: k3-opt %s --k3-pack-weights --split-input-file | FileCheck %s

// CHECK: @w1 {{.*}} {packing = #k3.packing<nibble_panels>, stack = 4 : i64}
// CHECK: @w3 {{.*}} {packing = #k3.packing<nibble_panels>, stack = 4 : i64}
// CHECK: @s1 {{.*}} {packing = #k3.packing<scale_panels>, stack = 4 : i64}
// CHECK: @s3 {{.*}} {packing = #k3.packing<scale_panels>, stack = 4 : i64}
k3.weight @w1 : tensor<4x48x16xi8> from "{}.w1" : tensor<48x16xi8> {stack = 4 : i64}
k3.weight @w3 : tensor<4x48x16xi8> from "{}.w3" : tensor<48x16xi8> {stack = 4 : i64}
k3.weight @s1 : tensor<4x48x1xi8> from "{}.s1" : tensor<48x1xi8> {stack = 4 : i64}
k3.weight @s3 : tensor<4x48x1xi8> from "{}.s3" : tensor<48x1xi8> {stack = 4 : i64}

// CHECK-LABEL: func.func @mxfp4(
// CHECK: k3.expert_up {{.*}} packing = #k3.packing<nibble_panels>
func.func @mxfp4(%z: tensor<?x32xf32>, %ids: tensor<?x2xi32>)
    -> tensor<?x2x48xf32> {
  %w1 = k3.get_weight @w1 : tensor<4x48x16xi8>
  %w3 = k3.get_weight @w3 : tensor<4x48x16xi8>
  %s1 = k3.get_weight @s1 : tensor<4x48x1xi8>
  %s3 = k3.get_weight @s3 : tensor<4x48x1xi8>
  %h = k3.expert_up %z, %ids experts(%w1, %w3) scales(%s1, %s3)
    {glu = #k3.glu<swiglu>}
    : (tensor<?x32xf32>, tensor<?x2xi32>, tensor<4x48x16xi8>,
       tensor<4x48x16xi8>, tensor<4x48x1xi8>, tensor<4x48x1xi8>)
    -> tensor<?x2x48xf32>
  return %h : tensor<?x2x48xf32>
}

// -----

// CHECK: @w2 {{.*}} {packing = #k3.packing<pair_panels>, stack = 4 : i64}
k3.weight @w2 : tensor<4x32x48xbf16> from "{}.w2" : tensor<32x48xbf16>
  {stack = 4 : i64}

// CHECK-LABEL: func.func @stacked(
// CHECK: k3.expert_down {{.*}} {packing = #k3.packing<pair_panels>}
func.func @stacked(%h: tensor<?x2x48xf32>, %ids: tensor<?x2xi32>,
    %w: tensor<?x2xf32>) -> tensor<?x32xf32> {
  %w2 = k3.get_weight @w2 : tensor<4x32x48xbf16>
  %y = k3.expert_down %h, %ids, %w experts(%w2)
    : (tensor<?x2x48xf32>, tensor<?x2xi32>, tensor<?x2xf32>,
       tensor<4x32x48xbf16>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

// One matrix of an op is not a declared weight, so the other stays as it is.
// CHECK: k3.weight @w1 {{.*}} {stack = 4 : i64}
k3.weight @w1 : tensor<4x48x32xbf16> from "{}.w1" : tensor<48x32xbf16>
  {stack = 4 : i64}

// CHECK-LABEL: func.func @half(
// CHECK: k3.expert_up {{.*}} {glu = #k3.glu<swiglu>}
func.func @half(%z: tensor<?x32xf32>, %ids: tensor<?x2xi32>,
    %w3: tensor<4x48x32xbf16>) -> tensor<?x2x48xf32> {
  %w1 = k3.get_weight @w1 : tensor<4x48x32xbf16>
  %h = k3.expert_up %z, %ids experts(%w1, %w3) {glu = #k3.glu<swiglu>}
    : (tensor<?x32xf32>, tensor<?x2xi32>, tensor<4x48x32xbf16>,
       tensor<4x48x32xbf16>) -> tensor<?x2x48xf32>
  return %h : tensor<?x2x48xf32>
}
