// Tensor cores: descriptors, fences and waits around asynchronous products.
// RUN: k3-opt %s --convert-k3t-to-nvvm | FileCheck %s

!half = !k3t.shared<[64, 128], bf16, swizzle = true>
!acc = tensor<64x64xf32, #k3t.acc>
!a = tensor<64x128xbf16, #k3t.acc>

// K = 128 is eight instructions; the first one starts from zero.
// CHECK-LABEL: func.func @registers
// CHECK: wgmma.fence.sync.aligned
// CHECK: setp.ne.b32 p, 0, 0;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK-COUNT-7: setp.ne.b32 p, 1, 0;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
func.func @registers(%a: !a, %b: !half, %p: !k3t.global<f32>, %at: i64) attributes {k3t.warps = 4 : i64} {
  %f = k3t.wgmma_fence %a : (!a) -> !a
  %d = k3t.wgmma a(%f) b(%b) : (!a, !half) -> !acc
  k3t.wgmma_commit
  %w = k3t.wgmma_wait 0, %d : (!acc) -> !acc
  k3t.store %w, %p[%at] stride %at {alignment = 8 : i64} : !acc, !k3t.global<f32>
  return
}

// Each warpgroup takes its own operands; a transposed b has its panels as the
// leading offset (8192 bytes, 512 in the descriptor).
// CHECK-LABEL: func.func @warpgroups
// CHECK: llvm.select
// CHECK: llvm.mlir.constant(4611686293338849280 : i64)
// CHECK: setp.ne.b32 p, 1, 0;
// CHECK-SAME: p, -1, 1, 1;
func.func @warpgroups(%a: !half, %b: !half, %c: !half, %d: !half, %acc: tensor<128x128xf32, #k3t.acc>, %x: tensor<128x64xbf16, #k3t.acc>) attributes {k3t.warps = 8 : i64} {
  %r = k3t.wgmma a(%x) b(%c, %d) acc(%acc) {negate, transpose_b} : (tensor<128x64xbf16, #k3t.acc>, !half, !half, tensor<128x128xf32, #k3t.acc>) -> tensor<128x128xf32, #k3t.acc>
  %w = k3t.wgmma_wait 0, %r : (tensor<128x128xf32, #k3t.acc>) -> tensor<128x128xf32, #k3t.acc>
  return
}

// Operands in shared memory: one buffer of 128 rows, of which each warpgroup
// takes its own 64; the second panel of 64 columns is 16384 bytes on (1024 in
// the descriptor).
// CHECK-LABEL: func.func @shared
// CHECK: llvm.mlir.constant(8192 : i32)
// CHECK: llvm.mul
// CHECK-COUNT-4: m64n64k16.f32.bf16.bf16 {{.*}} p, 1, 1, 0, 0;
// CHECK: llvm.mlir.constant(1024 : i64)
// CHECK-COUNT-4: m64n64k16.f32.bf16.bf16 {{.*}} p, 1, 1, 0, 0;
func.func @shared(%a: !k3t.shared<[128, 128], bf16, swizzle = true>, %b: !half) attributes {k3t.warps = 8 : i64} {
  %r = k3t.wgmma a(%a) b(%b) : (!k3t.shared<[128, 128], bf16, swizzle = true>, !half) -> tensor<128x64xf32, #k3t.acc>
  %w = k3t.wgmma_wait 0, %r : (tensor<128x64xf32, #k3t.acc>) -> tensor<128x64xf32, #k3t.acc>
  return
}

// Fragments move by matrices of 8 x 8.
// CHECK-LABEL: func.func @matrices
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans
// CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: stmatrix.sync.aligned.m8n8.x4.trans
func.func @matrices(%b: !half, %c: !k3t.shared<[64, 64], bf16, swizzle = true>) attributes {k3t.warps = 4 : i64} {
  %t = k3t.load_shared %c {transpose} : !k3t.shared<[64, 64], bf16, swizzle = true> -> tensor<64x64xbf16, #k3t.acc>
  k3t.store_shared %t, %c : tensor<64x64xbf16, #k3t.acc>, !k3t.shared<[64, 64], bf16, swizzle = true>
  k3t.store_shared %t, %c {transpose} : tensor<64x64xbf16, #k3t.acc>, !k3t.shared<[64, 64], bf16, swizzle = true>
  return
}
