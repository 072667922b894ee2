// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @latent_experts(
// CHECK: k3.latent_experts {{.*}} -> tensor<?x96xbf16>
func.func @latent_experts(%z: tensor<?x96xbf16>, %ids: tensor<?x4xi32>,
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
