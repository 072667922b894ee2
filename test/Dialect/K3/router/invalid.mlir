// RUN: k3-opt %s --split-input-file --verify-diagnostics

func.func @router_c1_bias(%logits: tensor<?x16xf32>, %bias: tensor<8xf32>)
    -> (tensor<?x4xi32>, tensor<?x4xf32>) {
  // expected-error @+1 {{'k3.router' op 'bias' must have shape [16], got 'tensor<8xf32>'}}
  %ids, %w = k3.router %logits, %bias
    {activation = "sigmoid", num_expert_group = 1, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 4, topk_group = 1}
    : (tensor<?x16xf32>, tensor<8xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x4xi32>, tensor<?x4xf32>
}

// -----

func.func @router_c1_ids(%logits: tensor<?x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<?x2xi32>, tensor<?x4xf32>) {
  // expected-error @+1 {{'k3.router' op 'ids' must have shape [?, 4], got 'tensor<?x2xi32>'}}
  %ids, %w = k3.router %logits, %bias
    {activation = "sigmoid", num_expert_group = 1, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 4, topk_group = 1}
    : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x2xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x2xi32>, tensor<?x4xf32>
}

// -----

func.func @router_c2(%logits: tensor<?x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<?x4xi32>, tensor<?x4xf32>) {
  // expected-error @+1 {{'k3.router' op top_k must lie in [1, experts] and experts be at most 4096, got 17 of 16}}
  %ids, %w = k3.router %logits, %bias
    {activation = "sigmoid", num_expert_group = 1, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 17, topk_group = 1}
    : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x4xi32>, tensor<?x4xf32>
}

// -----

func.func @router_c2_zero(%logits: tensor<?x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<?x4xi32>, tensor<?x4xf32>) {
  // expected-error @+1 {{'k3.router' op top_k must lie in [1, experts] and experts be at most 4096, got 0 of 16}}
  %ids, %w = k3.router %logits, %bias
    {activation = "sigmoid", num_expert_group = 1, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 0, topk_group = 1}
    : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x4xi32>, tensor<?x4xf32>
}

// -----

func.func @router_c3_divides(%logits: tensor<?x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<?x4xi32>, tensor<?x4xf32>) {
  // expected-error @+1 {{'k3.router' op num_expert_group 3 and topk_group 1 do not fit 16 experts with top_k 4}}
  %ids, %w = k3.router %logits, %bias
    {activation = "sigmoid", num_expert_group = 3, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 4, topk_group = 1}
    : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x4xi32>, tensor<?x4xf32>
}

// -----

func.func @router_c3_groups(%logits: tensor<?x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<?x4xi32>, tensor<?x4xf32>) {
  // expected-error @+1 {{'k3.router' op num_expert_group 8 and topk_group 1 do not fit 16 experts with top_k 4}}
  %ids, %w = k3.router %logits, %bias
    {activation = "sigmoid", num_expert_group = 8, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 4, topk_group = 1}
    : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x4xi32>, tensor<?x4xf32>
}

// -----

func.func @router_c3_alone(%logits: tensor<?x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<?x4xi32>, tensor<?x4xf32>) {
  // expected-error @+1 {{'k3.router' op num_expert_group 16 and topk_group 8 do not fit 16 experts with top_k 4}}
  %ids, %w = k3.router %logits, %bias
    {activation = "sigmoid", num_expert_group = 16, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 4, topk_group = 8}
    : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x4xi32>, tensor<?x4xf32>
}

// -----

func.func @router_c4(%logits: tensor<?x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<?x4xi32>, tensor<?x4xf32>) {
  // expected-error @+1 {{'k3.router' op activation must be 'sigmoid' or 'softmax', got 'relu'}}
  %ids, %w = k3.router %logits, %bias
    {activation = "relu", num_expert_group = 1, renormalize = true,
     routed_scaling_factor = 1.0 : f64, top_k = 4, topk_group = 1}
    : (tensor<?x16xf32>, tensor<16xf32>) -> (tensor<?x4xi32>, tensor<?x4xf32>)
  return %ids, %w : tensor<?x4xi32>, tensor<?x4xf32>
}
