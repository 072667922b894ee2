// RUN: k3-opt %s --k3-split-experts | FileCheck %s

// The hidden rows have the element type of z, so nothing is rounded otherwise
// than in the whole op.
// CHECK-LABEL: func.func @mxfp4(
// CHECK: %[[H:.*]] = k3.expert_up %{{.*}}, %[[IDS:.*]] experts(%{{.*}}, %{{.*}}) scales(%[[S1:.*]], %[[S3:.*]]) {beta = 4.000000e+00 : f64, glu = #k3.glu<situ>, linear_beta = 2.500000e+01 : f64}
// CHECK-SAME: -> tensor<?x4x96xbf16>
// CHECK: k3.expert_down %[[H]], %[[IDS]], %{{.*}} experts(%{{.*}}) scales(%arg8) :
// CHECK-SAME: -> tensor<?x96xbf16>
// CHECK-NOT: latent_experts
func.func @mxfp4(%z: tensor<?x96xbf16>, %ids: tensor<?x4xi32>,
    %w: tensor<?x4xf32>, %w1: tensor<16x96x48xi8>, %w3: tensor<16x96x48xi8>,
    %w2: tensor<16x96x48xi8>, %s1: tensor<16x96x3xi8>, %s3: tensor<16x96x3xi8>,
    %s2: tensor<16x96x3xi8>) -> tensor<?x96xbf16> {
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    scales(%s1, %s3, %s2)
    {glu = #k3.glu<situ>, beta = 4.0 : f64, linear_beta = 25.0 : f64}
    : (tensor<?x96xbf16>, tensor<?x4xi32>, tensor<?x4xf32>,
       tensor<16x96x48xi8>, tensor<16x96x48xi8>, tensor<16x96x48xi8>,
       tensor<16x96x3xi8>, tensor<16x96x3xi8>, tensor<16x96x3xi8>)
    -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// CHECK-LABEL: func.func @fp32(
// CHECK: k3.expert_up %{{.*}} experts(%{{.*}}, %{{.*}}) {glu = #k3.glu<swiglu>}
// CHECK-SAME: -> tensor<?x2x48xf32>
// CHECK: k3.expert_down %{{.*}} experts(%{{.*}}) : {{.*}} -> tensor<?x96xf32>
func.func @fp32(%z: tensor<?x96xf32>, %ids: tensor<?x2xi32>,
    %w: tensor<?x2xf32>, %w1: tensor<8x48x96xbf16>, %w3: tensor<8x48x96xbf16>,
    %w2: tensor<8x96x48xbf16>) -> tensor<?x96xf32> {
  %y = k3.latent_experts %z, %ids, %w experts(%w1, %w3, %w2)
    {glu = #k3.glu<swiglu>}
    : (tensor<?x96xf32>, tensor<?x2xi32>, tensor<?x2xf32>,
       tensor<8x48x96xbf16>, tensor<8x48x96xbf16>, tensor<8x96x48xbf16>)
    -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
