// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK-LABEL: func.func @last_token(
// CHECK: k3.last_token {{.*}} -> tensor<?x192xf32>
func.func @last_token(%x: tensor<?x192xf32>, %cu: tensor<?xi32>)
    -> tensor<?x192xf32> {
  %y = k3.last_token %x, %cu
    : (tensor<?x192xf32>, tensor<?xi32>) -> tensor<?x192xf32>
  return %y : tensor<?x192xf32>
}
