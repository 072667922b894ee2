// Roles that follow each other become roles that run side by side.
// RUN: k3-opt %s --k3t-split-roles | FileCheck %s

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
!tile = tensor<8x128xbf16, #rows>
!buffer = !k3t.shared<[8, 128], bf16, swizzle = true>
!ring = !k3t.shared<[8, 128], bf16, swizzle = true, stages = 2>

// A ring of two roles: the first one waits for stages to be empty.
// CHECK-LABEL: func.func @ring
// CHECK: %[[FULL:.*]] = k3t.alloc_barrier 128
// CHECK: %[[EMPTY:.*]] = k3t.alloc_barrier 128
// CHECK: k3t.barrier
// CHECK: k3t.on_warps 0, 4 registers = 64
// CHECK:   scf.for
// CHECK:     arith.xori
// CHECK:     k3t.wait %[[EMPTY]]
// CHECK:     k3t.store_shared
// CHECK:     k3t.fence_shared
// CHECK:     k3t.arrive %[[FULL]]
// CHECK: k3t.on_warps 4, 4 registers = 128
// CHECK:   scf.for
// CHECK:     k3t.wait %[[FULL]]
// CHECK:     k3t.load_shared
// CHECK:     k3t.arrive %[[EMPTY]]
func.func @ring(%x: f32, %p: !k3t.global<bf16>, %at: i64, %n: i32) attributes {k3t.warps = 8 : i64} {
  %ring = k3t.alloc_shared : !ring
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %stage = arith.remui %i, %two : i32
    %s = k3t.stage %ring[%stage] : !ring -> !buffer
    k3t.role "make" warps = 4 registers = 64 {
      %t = k3t.load %p[%at] stride %at {alignment = 16 : i64} : !k3t.global<bf16> -> !tile
      k3t.store_shared %t, %s : !tile, !buffer
      k3t.yield
    }
    k3t.role "use" warps = 4 registers = 128 {
      %t = k3t.load_shared %s : !buffer -> !tile
      k3t.store %t, %p[%at] stride %at {alignment = 16 : i64} : !tile, !k3t.global<bf16>
      k3t.yield
    }
  }
  return
}

// A feeder is done by the warps of the last role, two steps ahead.
// CHECK-LABEL: func.func @fed
// CHECK: %[[FED:.*]] = k3t.alloc_barrier 128
// CHECK-NOT: k3t.alloc_barrier
// CHECK: k3t.on_warps 0, 4 registers = 0
// CHECK:   k3t.copy_async
// CHECK:   k3t.arrive %[[FED]]{{.*}}after_copies
// CHECK:   k3t.copy_async
// CHECK:   k3t.arrive %[[FED]]{{.*}}after_copies
// CHECK:   scf.for
// CHECK:     k3t.wait %[[FED]]
// CHECK:     k3t.load_shared
// CHECK:     k3t.barrier
// CHECK:     scf.if
// CHECK:       k3t.copy_async
// CHECK:       k3t.arrive %[[FED]]{{.*}}after_copies
func.func @fed(%p: !k3t.global<bf16>, %at: i64, %n: i32) attributes {k3t.warps = 4 : i64} {
  %ring = k3t.alloc_shared : !ring
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %stage = arith.remui %i, %two : i32
    %s = k3t.stage %ring[%stage] : !ring -> !buffer
    k3t.role "load" warps = 4 registers = 0 with "use" {
      k3t.copy_async %p[%at] stride %at to %s : !k3t.global<bf16>, !buffer
      k3t.yield
    }
    k3t.role "use" warps = 4 registers = 0 {
      %t = k3t.load_shared %s : !buffer -> !tile
      k3t.store %t, %p[%at] stride %at {alignment = 16 : i64} : !tile, !k3t.global<bf16>
      k3t.yield
    }
  }
  return
}

// With a lag, the prologue is a step shorter and the stage filled is that of
// the step before.
// CHECK-LABEL: func.func @lagging
// CHECK-COUNT-1: k3t.copy_async
// CHECK: scf.for %[[STEP:.*]] =
// CHECK-NOT: k3t.copy_async
// CHECK: %[[NEXT:.*]] = arith.addi %[[STEP]], %c1_i32{{.*}} : i32
// CHECK: arith.cmpi slt, %[[NEXT]]
// CHECK: k3t.copy_async
func.func @lagging(%p: !k3t.global<bf16>, %at: i64, %n: i32) attributes {k3t.warps = 4 : i64} {
  %ring = k3t.alloc_shared : !ring
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %stage = arith.remui %i, %two : i32
    %s = k3t.stage %ring[%stage] : !ring -> !buffer
    k3t.role "load" warps = 4 registers = 0 with "use" lag 1 {
      k3t.copy_async %p[%at] stride %at to %s : !k3t.global<bf16>, !buffer
      k3t.yield
    }
    k3t.role "use" warps = 4 registers = 0 {
      %t = k3t.load_shared %s : !buffer -> !tile
      k3t.yield
    }
  }
  return
}
