// RUN: k3-opt %s --k3-phases=last=import | FileCheck %s --check-prefix=IMPORT
// RUN: k3-opt %s --k3-phases=last=prepare | FileCheck %s --check-prefix=PREPARE
// RUN: k3-opt %s --k3-phases="last=prepare precision=f32" | FileCheck %s --check-prefix=F32
// RUN: k3-opt %s --k3-phases=last=fuse | FileCheck %s --check-prefix=FUSE
// RUN: k3-opt %s --k3-phases | FileCheck %s --check-prefix=OUTLINE

// The table of phases, as passes of k3-opt.
// IMPORT: k3.weight @w : tensor<64x32xbf16> from "w" : tensor<64x32xbf16>{{$}}
// PREPARE: k3.weight @w {{.*}}packing = #k3.packing<pair_panels>
k3.weight @w : tensor<64x32xbf16> from "w" : tensor<64x32xbf16>
// IMPORT: func.func @f
// PREPARE: func.func @f
// F32: func.func @f(%{{.*}}: tensor<?x32xf32>) -> tensor<?x64xf32>
// FUSE: func.func @f
// OUTLINE: func.func @f
func.func @f(%x: tensor<?x32xbf16>) -> tensor<?x64xbf16> {
  // IMPORT: k3.linear
  // PREPARE: k3.linear
  // FUSE: k3.kernel(
  // OUTLINE: k3.launch @linear(
  %w = k3.get_weight @w : tensor<64x32xbf16>
  %y = k3.linear %x, %w
    : (tensor<?x32xbf16>, tensor<64x32xbf16>) -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}
// OUTLINE: k3.kernel_func @linear
