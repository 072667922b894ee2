// Every mix-up of layouts, shapes, alignments and warps is refused in words.
// RUN: k3-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{every number of a blocked layout must be a power of two, got 3}}
#bad = #k3t.blocked<[3], [32], [1]>

// -----

// expected-error @+1 {{a warp has 32 lanes, the layout gives it 16}}
#bad = #k3t.blocked<[1], [16], [1]>

// -----

// expected-error @+1 {{a swizzled buffer has rows in multiples of 8 and columns in multiples of 128 bytes}}
func.func private @swizzle(!k3t.shared<[64, 32], bf16, swizzle = true>)

// -----

// expected-error @+1 {{a shared buffer has 1 to 8 stages, not 9}}
func.func private @stages(!k3t.shared<[64], f32, stages = 9>)

// -----

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
func.func @fit(%x: f32) {
  // expected-error @+1 {{dimension 1 of 100 elements does not divide into pieces of 8}}
  %t = k3t.splat %x : f32 -> tensor<8x100xf32, #rows>
  return
}

// -----

func.func @layout(%x: f32) {
  // expected-error @+1 {{tile without a k3t layout}}
  %t = k3t.splat %x : f32 -> tensor<8x128xf32>
  return
}

// -----

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
func.func @role(%x: f32) {
  k3t.role "a" warps = 8 registers = 0 {
    // expected-error @+1 {{layout for 4 warps in a role of 8}}
    %t = k3t.splat %x : f32 -> tensor<8x128xf32, #rows>
    k3t.yield
  }
  return
}

// -----

#columns = #k3t.blocked<[1, 4], [1, 32], [1, 4]>
func.func @reduce(%t: tensor<1x512xf32, #columns>) {
  // expected-error @+1 {{axis 1 is spread over warps; such a sum goes through shared memory}}
  %r = k3t.reduce %t axis 1 : tensor<1x512xf32, #columns> -> tensor<1xf32, #k3t.slice<1, #columns>>
  return
}

// -----

#columns = #k3t.blocked<[1, 4], [1, 32], [1, 4]>
func.func @scan(%t: tensor<1x512xf32, #columns>) {
  // expected-error @+1 {{axis 1 is not held by one thread}}
  %r = k3t.scan %t axis 1 : tensor<1x512xf32, #columns>
  return
}

// -----

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
func.func @slice(%v: tensor<8xf32, #k3t.slice<1, #rows>>) {
  // expected-error @+1 {{is not a slice of}}
  %r = k3t.broadcast %v : tensor<8xf32, #k3t.slice<1, #rows>> -> tensor<16x128xf32, #rows>
  return
}

// -----

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
func.func @alignment(%p: !k3t.global<bf16>, %at: i64) {
  // expected-error @+1 {{alignment must be a power of two from 2 to 16, got 32}}
  %t = k3t.load %p[%at] stride %at {alignment = 32 : i64} : !k3t.global<bf16> -> tensor<8x128xbf16, #rows>
  return
}

// -----

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
func.func @stride(%p: !k3t.global<bf16>, %at: i64) {
  // expected-error @+1 {{a tile of rank 2 or more needs a row stride}}
  %t = k3t.load %p[%at] {alignment = 16 : i64} : !k3t.global<bf16> -> tensor<8x128xbf16, #rows>
  return
}

// -----

#rows = #k3t.blocked<[1, 8], [2, 16], [4, 1]>
func.func @beyond(%b: !k3t.shared<[8, 128], bf16, swizzle = true>) {
  // expected-error @+1 {{the tile's 16 x 128 elements reach beyond the buffer}}
  %t = k3t.load_shared %b : !k3t.shared<[8, 128], bf16, swizzle = true> -> tensor<16x128xbf16, #rows>
  return
}

// -----

func.func @stage(%b: !k3t.shared<[64, 128], bf16, swizzle = true, stages = 2>) {
  // expected-error @+1 {{wants one stage of the buffer (k3t.stage)}}
  %t = k3t.load_shared %b : !k3t.shared<[64, 128], bf16, swizzle = true, stages = 2> -> tensor<64x128xbf16, #k3t.acc>
  return
}

// -----

!b = !k3t.shared<[64, 128], bf16, swizzle = true>
func.func @depth(%a: tensor<64x64xbf16, #k3t.acc>, %b: !b) {
  // expected-error @+1 {{K must be one multiple of 16 on both sides, got 64 and 128}}
  %d = k3t.wgmma a(%a) b(%b) : (tensor<64x64xbf16, #k3t.acc>, !b) -> tensor<64x64xf32, #k3t.acc>
  return
}

// -----

!b = !k3t.shared<[64, 128], bf16, swizzle = true>
func.func @rows(%a: tensor<32x128xbf16, #k3t.acc>, %b: !b) {
  // expected-error @+1 {{M must be a multiple of 64, got 32}}
  %d = k3t.wgmma a(%a) b(%b) : (tensor<32x128xbf16, #k3t.acc>, !b) -> tensor<32x64xf32, #k3t.acc>
  return
}

// -----

!b = !k3t.shared<[64, 128], bf16, swizzle = true>
func.func @groups(%a: !b, %b: !b) {
  // expected-error @+1 {{a must be one stage of a swizzled BF16 buffer of 128 rows}}
  %d = k3t.wgmma a(%a) b(%b) : (!b, !b) -> tensor<128x64xf32, #k3t.acc>
  return
}

// -----

!t = !k3t.shared<[64, 64], f32, pad = 4>
!x = !k3t.shared<[32, 32], f32, pad = 4>
func.func @inverse(%t: !t, %x: !x) {
  k3t.role "a" warps = 4 registers = 0 {
    // expected-error @+1 {{wants a role of 8 warps, got 4}}
    k3t.unit_lower_inverse %t, %x : !t, !x
    k3t.yield
  }
  return
}

// -----

func.func @registers() {
  // expected-error @+1 {{registers must be a multiple of 8 from 24 to 256, or 0, got 20}}
  k3t.role "a" warps = 4 registers = 20 {
    k3t.yield
  }
  return
}

// -----

!half = tensor<64x64xbf16, #k3t.acc>
func.func @arithmetic(%a: !half) attributes {k3t.warps = 4 : i64} {
  // expected-error @+1 {{results must have the types of the operands}}
  %w = k3t.wgmma_wait 0, %a : (!half) -> tensor<64x64xf32, #k3t.acc>
  return
}
