// RUN: k3-opt %s --split-input-file --verify-diagnostics \
// RUN:   --k3-vectorize-linalg=target=x86-64-v4 | FileCheck %s

#row = affine_map<(h, k) -> (h, k)>
#head = affine_map<(h, k) -> (h)>

// What does not vary along the row is computed once, as a scalar; 21 channels
// are vectors of 16, 4 and 1.
// CHECK-LABEL: func.func @scale(
// CHECK: scf.for
// CHECK: memref.load
// CHECK: math.exp %{{.*}} : f32
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK: vector.store {{.*}} vector<16xf32>
// CHECK: vector.store {{.*}} vector<4xf32>
// CHECK: vector.store {{.*}} vector<1xf32>
// CHECK-NOT: linalg.
func.func @scale(%x: memref<3x21xf32>, %s: memref<3xf32>,
                 %y: memref<3x21xf32>) {
  linalg.generic {indexing_maps = [#row, #head, #row],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<3x21xf32>, memref<3xf32>)
      outs(%y : memref<3x21xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %e = math.exp %b : f32
    %r = arith.mulf %a, %e : f32
    linalg.yield %r : f32
  }
  return
}

// Four accumulators in the loop, then a fixed order.
// CHECK-LABEL: func.func @sum(
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}, {{.*}}, {{.*}})
// CHECK: vector.shuffle
// CHECK: memref.store
func.func @sum(%x: memref<1x192xf32>, %y: memref<1xf32>) {
  linalg.generic {indexing_maps = [#row, #head],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<1x192xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%a: f32, %old: f32):
    %r = arith.addf %old, %a : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#row = affine_map<(h, k) -> (h, k)>
#turned = affine_map<(h, k) -> (k, h)>

func.func @transposed(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  // expected-error @below {{has an operand that is not contiguous}}
  linalg.generic {indexing_maps = [#turned, #row],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#row = affine_map<(k) -> (k)>
#one = affine_map<(k) -> ()>

func.func @product(%x: memref<8xf32>, %y: memref<f32>) {
  // expected-error @below {{is not a sum or a maximum}}
  linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]}
      ins(%x : memref<8xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %old: f32):
    %r = arith.mulf %old, %a : f32
    linalg.yield %r : f32
  }
  return
}
