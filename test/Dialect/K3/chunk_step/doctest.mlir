// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @chunk_step(
// CHECK: k3.chunk_step
func.func @chunk_step(%q: tensor<?x2x128xf32>, %k: tensor<?x2x128xf32>,
    %sum: tensor<?x2x128xf32>, %w: tensor<?x2x128xf32>, %u: tensor<?x2x128xf32>,
    %s0: tensor<?x2x128x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>) {
  %read, %s1, %pseudo = k3.chunk_step q(%q) k(%k) decay(%sum) w(%w) u(%u)
    state(%s0) seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     state_v_first = true, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x128xf32>, tensor<?x2x128x128xf32>, tensor<?x2x128xf32>)
  return %read, %s1, %pseudo : tensor<?x2x128xf32>, tensor<?x2x128x128xf32>,
    tensor<?x2x128xf32>
}
