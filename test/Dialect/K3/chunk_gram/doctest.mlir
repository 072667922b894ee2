// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @chunk_gram(
// CHECK: k3.chunk_gram
func.func @chunk_gram(%k: tensor<?x2x128xf32>, %sum: tensor<?x2x128xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  %a = k3.chunk_gram x(%k) y(%k) decay(%sum) seqs(%cu, %slots, %lens)
    {form = #k3.decay_form<anchored>, diagonal = false, chunk_size = 64 : i64,
     sub_tile = 16 : i64, anchor = 7 : i64,
     log_decay_bounds = array<f64: -5.0, 0.0>}
    : (tensor<?x2x128xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
  return %a : tensor<?x2x64xf32>
}
