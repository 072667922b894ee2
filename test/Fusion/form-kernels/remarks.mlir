// RUN: k3-opt %s --k3-form-kernels --remark-format=emitRemark \
// RUN:   --remarks-filter=k3-form-kernels -o /dev/null 2>&1 | FileCheck %s

// CHECK: remarks.mlir:[[@LINE+6]]:{{.*}}remark: {{.*}}alone{{.*}}k3.rms_norm: no row-wise op of the same rows is beside it
// CHECK: remarks.mlir:[[@LINE+7]]:{{.*}}remark: {{.*}}fused{{.*}}ops=2
// CHECK: remarks.mlir:[[@LINE+12]]:{{.*}}remark: {{.*}}alone{{.*}}k3.linear: no other product reads the same rows
// CHECK: remarks.mlir:[[@LINE+13]]:{{.*}}remark: {{.*}}alone{{.*}}k3.add: a joint kernel would have to wait for its own results
func.func @layer(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %m: tensor<8x8xf32>)
    -> tensor<?x8xf32> {
  %n = k3.rms_norm %x, %w {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %g = k3.linear %n, %m
    : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %u = k3.linear %n, %m
    : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %h = k3.swiglu %g, %u
    : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %d = k3.linear %h, %m
    : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %y = k3.add %n, %d : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
