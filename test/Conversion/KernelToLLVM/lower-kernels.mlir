// RUN: k3-opt %s --k3-lower-kernels=target=x86-64-v4 | FileCheck %s
// RUN: k3-opt %s --k3-lower-kernels=target=x86-64-v4 \
// RUN:   --k3-lower-to-llvm=target=x86-64-v4 | FileCheck %s --check-prefix=LLVM
// RUN: not k3-opt %s --k3-lower-kernels=target=x86-64-v9 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown target 'x86-64-v9'

// A row loop; a sum of squares; the formula of each element.
// CHECK-LABEL: func.func @norm(
// CHECK-SAME: i64, {{.*}}: !llvm.ptr, {{.*}}: !llvm.ptr, {{.*}}: !llvm.ptr)
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: math.rsqrt
// CHECK-NOT: k3.

// LLVM-LABEL: llvm.func @norm(
// LLVM: llvm.intr.sqrt
// LLVM-NOT: unrealized_conversion_cast
// LLVM-NOT: fptrunc
k3.kernel_func @norm attributes {update_pairs = array<i64>} {
^bb0(%x: tensor<?x40xbf16>, %w: tensor<40xf32>):
  %n = k3.rms_norm %x, %w {eps = 1.0e-5 : f64, round_before_weight = true}
    : (tensor<?x40xbf16>, tensor<40xf32>) -> tensor<?x40xbf16>
  k3.yield %n : tensor<?x40xbf16>
}
