// RUN: k3-opt %s --k3-set-precision=precision=f32 --split-input-file --verify-diagnostics

func.func @formed(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  // expected-error @+1 {{is formed already; the precision is set before}}
  %y = k3.kernel(%x) {update_pairs = array<i64>} : (tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  ^bb0(%a: tensor<?x8xbf16>):
    %n = k3.add %a, %a
      : (tensor<?x8xbf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
    k3.yield %n : tensor<?x8xbf16>
  }
  return %y : tensor<?x8xbf16>
}

// -----

// expected-error @+1 {{has outlined kernels; the precision is set before}}
module {
  k3.kernel_func @twice attributes {update_pairs = array<i64>} {
  ^bb0(%a: tensor<?x8xbf16>):
    %n = k3.add %a, %a
      : (tensor<?x8xbf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
    k3.yield %n : tensor<?x8xbf16>
  }
}
