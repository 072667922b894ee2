// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @chunk_inverse(
// CHECK: k3.chunk_inverse
func.func @chunk_inverse(%a: tensor<?x2x64xf32>, %beta: tensor<?x2xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>) ->
    tensor<?x2x64xf32> {
  %m = k3.chunk_inverse gram(%a) beta(%beta) seqs(%cu, %slots, %lens)
    {chunk_size = 64 : i64}
    : (tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>,
       tensor<?xi32>) -> tensor<?x2x64xf32>
  return %m : tensor<?x2x64xf32>
}
