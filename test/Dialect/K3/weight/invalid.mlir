// RUN: k3-opt %s --split-input-file --verify-diagnostics

module @weight_c1_dynamic {
  // expected-error @+1 {{types must be static tensors of bf16, f32, f16 or i8 with at most 2^40 elements, got 'tensor<?x4xf32>' and 'tensor<2x4xf32>'}}
  k3.weight @w : tensor<?x4xf32> from "w" : tensor<2x4xf32>
}

// -----

module @weight_c1_element {
  // expected-error @+1 {{types must be static tensors of bf16, f32, f16 or i8}}
  k3.weight @w : tensor<2x4xf64> from "w" : tensor<2x4xf64>
}

// -----

module @weight_c1_size {
  // expected-error @+1 {{with at most 2^40 elements}}
  k3.weight @w : tensor<1048576x1048577xbf16> from "w" : tensor<1048576x1048577xbf16>
}

// -----

module @weight_c2_reshape {
  // expected-error @+1 {{stored 'tensor<8xf32>' has 8 elements, wanted 2}}
  k3.weight @w : tensor<2xf32> from "w" : tensor<8xf32>
}

// -----

module @weight_c2_prefix {
  // expected-error @+1 {{stored 'tensor<1xf32>' has 1 elements, wanted 2}}
  k3.weight @w : tensor<2xf32> from "w" : tensor<1xf32> {prefix}
}

// -----

module @weight_c2_stack {
  // expected-error @+1 {{stack must be the leading dimension of 'tensor<16x8xbf16>', got 4}}
  k3.weight @w : tensor<16x8xbf16> from "w.{}" : tensor<8xbf16> {stack = 4 : i64}
}

// -----

module @weight_c2_stack_elements {
  // expected-error @+1 {{stored 'tensor<16x8xbf16>' has 128 elements, wanted 8}}
  k3.weight @w : tensor<16x8xbf16> from "w.{}" : tensor<16x8xbf16> {stack = 16 : i64}
}

// -----

module @weight_c3_missing {
  // expected-error @+1 {{source must have one '{}' exactly when stack is given, got 'w'}}
  k3.weight @w : tensor<16x8xbf16> from "w" : tensor<8xbf16> {stack = 16 : i64}
}

// -----

module @weight_c3_unwanted {
  // expected-error @+1 {{source must have one '{}' exactly when stack is given, got 'w.{}'}}
  k3.weight @w : tensor<8xbf16> from "w.{}" : tensor<8xbf16>
}

// -----

module @weight_c4 {
  // expected-error @+1 {{i8 weights are not converted, got 'tensor<8xf32>' from 'tensor<8xi8>'}}
  k3.weight @w : tensor<8xf32> from "w" : tensor<8xi8>
}

// -----

module @weight_c5_element {
  // expected-error @+1 {{packing 'pair_panels' does not fit 'tensor<16x8xf32>'}}
  k3.weight @w : tensor<16x8xf32> from "w" : tensor<16x8xf32>
    {packing = #k3.packing<pair_panels>}
}

// -----

module @weight_c5_rank {
  // expected-error @+1 {{packing 'panels' does not fit 'tensor<16xf32>'}}
  k3.weight @w : tensor<16xf32> from "w" : tensor<16xf32>
    {packing = #k3.packing<panels>}
}

// -----

module @weight_c5_scales {
  // expected-error @+1 {{packing 'scale_panels' does not fit 'tensor<16x8xbf16>'}}
  k3.weight @w : tensor<16x8xbf16> from "w" : tensor<16x8xbf16>
    {packing = #k3.packing<scale_panels>}
}
