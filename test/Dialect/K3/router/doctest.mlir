// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @router(
// CHECK: k3.router {{.*}} -> (tensor<?x4xi32>, tensor<?x4xf32>)
func.func @router(%logits: tensor<?x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<?x4xi32>, tensor<?x4xf32>) {
  %ids, %w = k3.router %logits, %bias
    {activation = "sigmoid", num_expert_group = 1, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 4, topk_group = 1}
    : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x4xi32>, tensor<?x4xf32>
}
