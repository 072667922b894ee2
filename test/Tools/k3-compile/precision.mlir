// --precision changes activations, never weights.
// RUN: k3-compile %s --compile-to=prepare --precision=f32 | FileCheck %s --check-prefix=F32
// RUN: k3-compile %s --compile-to=prepare --precision=bf16 | FileCheck %s --check-prefix=BF16
// RUN: k3-compile %s --compile-to=prepare | FileCheck %s --check-prefix=BF16
// RUN: k3-compile %s --compile-to=artefact --precision=f32 | FileCheck %s --check-prefix=PLAN32
// RUN: k3-compile %s --compile-to=artefact | FileCheck %s --check-prefix=PLAN16
// PLAN32: precision f32
// PLAN16: precision bf16

// F32: k3.weight @w : tensor<64x32xbf16>
// BF16: k3.weight @w : tensor<64x32xbf16>
k3.weight @w : tensor<64x32xbf16> from "model.w" : tensor<64x32xbf16>
// F32: func.func @f(%{{.*}}: tensor<?x32xf32>{{.*}}) -> tensor<?x64xf32>
// BF16: func.func @f(%{{.*}}: tensor<?x32xbf16>{{.*}}) -> tensor<?x64xbf16>
func.func @f(%x: tensor<?x32xbf16>) -> tensor<?x64xbf16> {
  %w = k3.get_weight @w : tensor<64x32xbf16>
  %y = k3.linear %x, %w
    : (tensor<?x32xbf16>, tensor<64x32xbf16>) -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// A module that was imported with f32 has lost what bf16 needs to know.
// RUN: sh -c 'k3-compile %S/Inputs/linear.mlir --compile-to=prepare --precision=bf16; echo exit $?' 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: the module has no bf16 activations to keep
// REFUSED: k3-compile: error[K3-E0503]: {{.*}}: the module is refused by phase 'prepare'
// REFUSED-NEXT: exit 1
