// RUN: k3-opt %s -split-input-file -verify-diagnostics --k3t-split-roles

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
!tile = tensor<8x128xf32, #rows>
func.func @between(%x: f32, %n: i32) attributes {k3t.warps = 8 : i64} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %t = k3t.role "a" warps = 4 registers = 0 -> !tile {
      %s = k3t.splat %x : f32 -> !tile
      k3t.yield %s : !tile
    }
    k3t.role "b" warps = 4 registers = 0 {
      // expected-error @+1 {{uses a value of role "a"}}
      %u = arith.addf %t, %t : !tile
      k3t.yield
    }
  }
  return
}

// -----

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
!tile = tensor<8x128xbf16, #rows>
!buffer = !k3t.shared<[8, 128], bf16, swizzle = true>
func.func @unstaged(%n: i32, %p: !k3t.global<bf16>, %at: i64) attributes {k3t.warps = 8 : i64} {
  // expected-error @+1 {{without stages is used by more than one role}}
  %b = k3t.alloc_shared : !buffer
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    k3t.role "a" warps = 4 registers = 0 {
      %t = k3t.load_shared %b : !buffer -> !tile
      k3t.yield
    }
    k3t.role "b" warps = 4 registers = 0 {
      %t = k3t.load_shared %b : !buffer -> !tile
      k3t.yield
    }
  }
  return
}

// -----

func.func @twice(%n: i32) attributes {k3t.warps = 4 : i64} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    k3t.role "a" warps = 4 registers = 0 {
      k3t.yield
    }
    // expected-error @+1 {{comes twice in the loop}}
    k3t.role "a" warps = 4 registers = 0 {
      k3t.yield
    }
  }
  return
}

// -----

func.func @count(%n: i32) attributes {k3t.warps = 4 : i64} {
  %one = arith.constant 1 : i32
  // expected-error @+1 {{with roles must count from 0 by 1}}
  scf.for %i = %one to %n step %one : i32 {
    k3t.role "a" warps = 4 registers = 0 {
      k3t.yield
    }
  }
  return
}

// -----

func.func @feeder(%n: i32) attributes {k3t.warps = 8 : i64} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-error @+1 {{must end with role "b" of as many warps as "a"}}
  scf.for %i = %zero to %n step %one : i32 {
    k3t.role "a" warps = 4 registers = 0 with "b" {
      k3t.yield
    }
    k3t.role "b" warps = 8 registers = 0 {
      k3t.yield
    }
  }
  return
}
