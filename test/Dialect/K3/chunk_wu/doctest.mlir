// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @chunk_wu(
// CHECK: k3.chunk_wu
func.func @chunk_wu(%m: tensor<?x2x64xf32>, %k: tensor<?x2x128xf32>,
    %v: tensor<?x2x128xbf16>, %sum: tensor<?x2x128xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    (tensor<?x2x128xf32>, tensor<?x2x128xf32>) {
  %w, %u = k3.chunk_wu inverse(%m) y(%k) v(%v) decay(%sum) beta(%beta)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2x128xf32>, tensor<?x2x128xbf16>,
       tensor<?x2x128xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> (tensor<?x2x128xf32>, tensor<?x2x128xf32>)
  return %w, %u : tensor<?x2x128xf32>, tensor<?x2x128xf32>
}
