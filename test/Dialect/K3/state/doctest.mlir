// RUN: k3-opt %s | k3-opt | FileCheck %s

// CHECK: k3.state @layers.3.cache : tensor<?x80xbf16>
k3.state @layers.3.cache : tensor<?x80xbf16>

// CHECK: k3.state @layers.0.kda_state : tensor<2x128x128xf32>
k3.state @layers.0.kda_state : tensor<2x128x128xf32>
