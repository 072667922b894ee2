// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that form kernels.

#ifndef K3_FUSION_PASSES
#define K3_FUSION_PASSES

include "mlir/Pass/PassBase.td"

def FormKernelsPass : Pass<"k3-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "every op inside exactly one k3.kernel";
  let description = [{
    In: a function of k3 tensor ops. Holds after: its tensor ops all sit inside
    `k3.kernel` regions; around them are access to weights and states only.

    - Products of the same rows share a kernel, and so do short convolutions
      over the same sequences.
    - Row-wise ops over the same rows join along values, beside each other in
      front of a common reader, and behind a common kernel when they can start
      at the same time, as long as no cycle of kernels arises.
    - Other anchors (ops that look along a sequence or need a grid of their
      own) are kernels by themselves.
    - `k3.reshape` is free and is repeated in every kernel that reads it.
    - An op that nothing reads goes away.

    Readers of a state stay in front of the kernel that updates it. The remarks
    `fused` and `alone` (category `k3-form-kernels`) say which ops share a
    kernel, and why the others do not.

    Numeric: exact.
  }];
  let dependentDialects = ["::k3::K3Dialect"];
  let statistics = [
    Statistic<"kernels", "kernels", "kernels formed">,
    Statistic<"fused", "fused", "ops that share a kernel with another">];
}

def OutlineKernelsPass : Pass<"k3-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "equal kernels once, as k3.kernel_func";
  let description = [{
    In: functions of `k3.kernel`. Holds after: functions of `k3.launch`; kernels
    that are equal but for locations are one `k3.kernel_func`, so the number of
    distinct kernels does not grow with the number of layers. A launch keeps the
    locations of its ops.

    Numeric: exact.
  }];
  let dependentDialects = ["::k3::K3Dialect"];
  let statistics = [
    Statistic<"distinct", "distinct", "distinct kernels">,
    Statistic<"launches", "launches", "launches">];
}

#endif // K3_FUSION_PASSES
