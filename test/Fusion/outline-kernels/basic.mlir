// RUN: k3-opt %s --k3-form-kernels --k3-outline-kernels --mlir-print-local-scope --mlir-print-debuginfo | FileCheck %s

k3.weight @a.norm : tensor<8xf32> from "a.norm" : tensor<8xf32>
k3.weight @b.norm : tensor<8xf32> from "b.norm" : tensor<8xf32>
k3.weight @a.proj : tensor<8x8xf32> from "a.proj" : tensor<8x8xf32>
k3.weight @b.proj : tensor<8x8xf32> from "b.proj" : tensor<8x8xf32>

// Two layers of one form are two kernels, launched twice; a launch keeps the
// locations of its ops.
// CHECK-LABEL: func.func @two_layers(
// CHECK-COUNT-4: k3.get_weight
// CHECK: k3.launch @rms_norm(%{{.*}}, %{{.*}}) {{.*}} loc("a.norm")
// CHECK: k3.launch @linear(%{{.*}}, %{{.*}}) {{.*}} loc("a.proj")
// CHECK: k3.launch @rms_norm(%{{.*}}, %{{.*}}) {{.*}} loc("b.norm")
// CHECK: k3.launch @linear(%{{.*}}, %{{.*}}) {{.*}} loc("b.proj")
// CHECK-COUNT-2: k3.kernel_func
// CHECK-NOT: k3.kernel_func
func.func @two_layers(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %wa = k3.get_weight @a.norm : tensor<8xf32>
  %na = k3.rms_norm %x, %wa {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("a.norm")
  %pa = k3.get_weight @a.proj : tensor<8x8xf32>
  %la = k3.linear %na, %pa
    : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32> loc("a.proj")
  %wb = k3.get_weight @b.norm : tensor<8xf32>
  %nb = k3.rms_norm %la, %wb {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("b.norm")
  %pb = k3.get_weight @b.proj : tensor<8x8xf32>
  %lb = k3.linear %nb, %pb
    : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32> loc("b.proj")
  return %lb : tensor<?x8xf32>
}
