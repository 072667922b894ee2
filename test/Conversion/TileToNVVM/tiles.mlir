// A tile is one vector a thread; BF16 elements go in pairs.
// RUN: k3-opt %s --convert-k3t-to-nvvm | FileCheck %s

#rows = #k3t.blocked<[1, 4], [4, 8], [4, 1]>
!tile = tensor<16x128xf32, #rows>

// CHECK: llvm.mlir.global external @k3_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// 16 bytes a load, four loads; a sum over registers, then over eight lanes.
// CHECK-LABEL: func.func @sums
// CHECK-SAME: k3t.shared_bytes = 64 : i64
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-15: llvm.fadd
// CHECK-COUNT-3: llvm.nvvm.shfl.sync.bfly.f32
// CHECK-NOT: llvm.nvvm.shfl
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
func.func @sums(%p: !k3t.global<f32>, %at: i64, %stride: i64) attributes {k3t.warps = 4 : i64} {
  %b = k3t.alloc_shared : !k3t.shared<[16], f32>
  %t = k3t.load %p[%at] stride %stride {alignment = 16 : i64} : !k3t.global<f32> -> !tile
  %r = k3t.reduce %t axis 1 : !tile -> tensor<16xf32, #k3t.slice<1, #rows>>
  k3t.store_shared %r, %b : tensor<16xf32, #k3t.slice<1, #rows>>, !k3t.shared<[16], f32>
  return
}

// Rows that are not there are not read.
// CHECK-LABEL: func.func @guarded
// CHECK: llvm.icmp "slt"
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: llvm.mlir.zero : vector<2xi32>
func.func @guarded(%p: !k3t.global<bf16>, %at: i64, %n: i32, %b: !k3t.shared<[16, 128], bf16, swizzle = true>) attributes {k3t.warps = 4 : i64} {
  %t = k3t.load %p[%at] stride %at rows %n {alignment = 8 : i64} : !k3t.global<bf16> -> tensor<16x128xbf16, #rows>
  k3t.store_shared %t, %b : tensor<16x128xbf16, #rows>, !k3t.shared<[16, 128], bf16, swizzle = true>
  return
}

// Approximate functions are single instructions.
// CHECK-LABEL: func.func @functions
// CHECK-COUNT-16: llvm.nvvm.ex2.approx.ftz.f
// CHECK-COUNT-16: llvm.nvvm.rcp.approx.ftz.f
// CHECK-COUNT-8: cvt.rn.bf16x2.f32
func.func @functions(%p: !k3t.global<bf16>, %at: i64, %t: !tile) attributes {k3t.warps = 4 : i64} {
  %e = math.exp2 %t : !tile
  %one = arith.constant dense<1.0> : !tile
  %q = arith.divf %one, %e : !tile
  %h = arith.truncf %q : !tile to tensor<16x128xbf16, #rows>
  k3t.store %h, %p[%at] stride %at {alignment = 8 : i64} : tensor<16x128xbf16, #rows>, !k3t.global<bf16>
  return
}
