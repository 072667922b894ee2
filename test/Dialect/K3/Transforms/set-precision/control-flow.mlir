// RUN: k3-opt %s --k3-set-precision --verify-diagnostics

// expected-error @+1 {{has control flow; the precision is set in straight-line functions only}}
func.func @two_blocks(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  cf.br ^bb1
^bb1:
  %y = k3.add %x, %x : (tensor<?x8xbf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}
