// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @chunk_decay(
// CHECK: k3.chunk_decay
func.func @chunk_decay(%g: tensor<?x2x128xf32>, %cu: tensor<?xi32>,
    %slots: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  %sum = k3.chunk_decay g(%g) seqs(%cu, %slots, %lens)
    {chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> tensor<?x2x128xf32>
  return %sum : tensor<?x2x128xf32>
}
