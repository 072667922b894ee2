// Every op of k3t prints what it parses.
// RUN: k3-opt %s | k3-opt | FileCheck %s

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
#acc = #k3t.acc
!half = !k3t.shared<[64, 128], bf16, swizzle = true>
!square = !k3t.shared<[64, 64], f32, pad = 4>
!small = !k3t.shared<[32, 32], f32, pad = 4>

// CHECK-LABEL: func.func @registers
func.func @registers(%x: f32, %t: tensor<8x128xf32, #rows>) attributes {k3t.warps = 4 : i64} {
  // CHECK: k3t.block_id
  %b = k3t.block_id
  // CHECK: k3t.warp_id
  %w = k3t.warp_id
  // CHECK: k3t.splat %{{.*}} : f32 -> tensor<8x128xf32, #{{.*}}>
  %s = k3t.splat %x : f32 -> tensor<8x128xf32, #rows>
  // CHECK: k3t.iota 1
  %i = k3t.iota 1 : tensor<8x128xi32, #rows>
  // CHECK: k3t.reduce %{{.*}} axis 1
  %r = k3t.reduce %t axis 1 : tensor<8x128xf32, #rows> -> tensor<8xf32, #k3t.slice<1, #rows>>
  // CHECK: k3t.broadcast
  %c = k3t.broadcast %r : tensor<8xf32, #k3t.slice<1, #rows>> -> tensor<8x128xf32, #rows>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%p: !k3t.global<bf16>, %q: !k3t.global<i32>, %n: i32, %at: i64, %stride: i64) attributes {k3t.warps = 4 : i64} {
  // CHECK: k3t.alloc_shared : <[64, 128], bf16, swizzle = true, stages = 2>
  %stages = k3t.alloc_shared : !k3t.shared<[64, 128], bf16, swizzle = true, stages = 2>
  // CHECK: k3t.stage
  %s = k3t.stage %stages[%n] : !k3t.shared<[64, 128], bf16, swizzle = true, stages = 2> -> !half
  // CHECK: k3t.alloc_shared over
  %o = k3t.alloc_shared over %stages : !k3t.shared<[64, 128], bf16, swizzle = true, stages = 2> : !square
  // CHECK: k3t.load_scalar
  %e = k3t.load_scalar %q[%at] : !k3t.global<i32> -> i32
  // CHECK: k3t.load %{{.*}} stride %{{.*}} rows
  %t = k3t.load %p[%at] stride %stride rows %n {alignment = 16 : i64} : !k3t.global<bf16> -> tensor<64x128xbf16, #rows>
  // CHECK: k3t.store_shared
  k3t.store_shared %t, %s : tensor<64x128xbf16, #rows>, !half
  // CHECK: k3t.load_shared
  %l = k3t.load_shared %s : !half -> tensor<64x128xbf16, #rows>
  // CHECK: k3t.store
  k3t.store %l, %p[%at] stride %stride {alignment = 16 : i64} : tensor<64x128xbf16, #rows>, !k3t.global<bf16>
  // CHECK: k3t.copy_async
  k3t.copy_async %p[%at] stride %stride rows %n to %s : !k3t.global<bf16>, !half
  // CHECK: k3t.copy_wait
  k3t.copy_wait
  return
}

// CHECK-LABEL: func.func @matrix
func.func @matrix(%a: !half, %b: !half, %c: tensor<64x64xf32, #acc>, %t: !square, %x: !small) attributes {k3t.warps = 8 : i64} {
  // CHECK: k3t.wgmma_fence
  %f = k3t.wgmma_fence %c : (tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc>
  // CHECK: k3t.wgmma a(%{{.*}}) b(%{{.*}}) acc(%{{.*}})
  %d = k3t.wgmma a(%a) b(%b) acc(%f) : (!half, !half, tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc>
  // CHECK: k3t.wgmma_commit
  k3t.wgmma_commit
  // CHECK: k3t.wgmma_wait 0
  %w = k3t.wgmma_wait 0, %d : (tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc>
  // CHECK: k3t.concat
  %j = k3t.concat %w, %w : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc> -> tensor<64x128xf32, #acc>
  // CHECK: k3t.unit_lower_inverse
  k3t.unit_lower_inverse %t, %x : !square, !small
  return
}

// CHECK-LABEL: func.func @sync
func.func @sync(%n: i32) attributes {k3t.warps = 4 : i64} {
  // CHECK: k3t.alloc_barrier 128 : <2>
  %b = k3t.alloc_barrier 128 : !k3t.barrier<2>
  // CHECK: k3t.on_warps 0, 4 registers = 0
  k3t.on_warps 0, 4 registers = 0 {
    // CHECK: k3t.wait %{{.*}}[%{{.*}}] parity
    k3t.wait %b[%n] parity %n : !k3t.barrier<2>
    // CHECK: k3t.fence_shared
    k3t.fence_shared
    // CHECK: k3t.barrier {warpgroup}
    k3t.barrier {warpgroup}
    // CHECK: k3t.arrive
    k3t.arrive %b[%n] : !k3t.barrier<2>
    k3t.yield
  }
  return
}
