// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @chunk_output(
// CHECK: k3.chunk_output
func.func @chunk_output(%read: tensor<?x2x128xf32>, %a: tensor<?x2x64xf32>,
    %pseudo: tensor<?x2x128xf32>, %cu: tensor<?xi32>, %slots: tensor<?xi32>,
    %lens: tensor<?xi32>) -> tensor<?x2x128xf32> {
  %o = k3.chunk_output read(%read) gram(%a) pseudo(%pseudo)
    seqs(%cu, %slots, %lens)
    {erase = #k3.erase<delta>, write = #k3.write<beta_value>,
     scale = 1.0 : f64, chunk_size = 64 : i64}
    : (tensor<?x2x128xf32>, tensor<?x2x64xf32>, tensor<?x2x128xf32>,
       tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x128xf32>
  return %o : tensor<?x2x128xf32>
}
