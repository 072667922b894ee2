// RUN: not k3-opt %s --convert-k3t-to-nvvm=shared-limit=16384 2>&1 | FileCheck %s
// CHECK: error: needs 32768 bytes of shared memory, a workgroup has 16384

// Overlaid buffers count once.
// RUN: k3-opt %s --convert-k3t-to-nvvm | FileCheck %s --check-prefix=LAID
// LAID: k3t.shared_bytes = 32768 : i64
func.func @kernel() attributes {k3t.warps = 4 : i64} {
  %a = k3t.alloc_shared : !k3t.shared<[64, 128], bf16, swizzle = true>
  %b = k3t.alloc_shared : !k3t.shared<[64, 128], bf16, swizzle = true>
  %c = k3t.alloc_shared over %a : !k3t.shared<[64, 128], bf16, swizzle = true> : !k3t.shared<[64], f32>
  return
}
