// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @embedding(
// CHECK: k3.embedding {{.*}} -> tensor<?x192xbf16>
func.func @embedding(%ids: tensor<?xi32>, %table: tensor<320x192xbf16>)
    -> tensor<?x192xbf16> {
  %x = k3.embedding %ids, %table
    : (tensor<?xi32>, tensor<320x192xbf16>) -> tensor<?x192xbf16>
  return %x : tensor<?x192xbf16>
}
