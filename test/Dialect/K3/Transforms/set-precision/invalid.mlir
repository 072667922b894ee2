// RUN: k3-opt %s --k3-set-precision=precision=bf16 --split-input-file --verify-diagnostics

// expected-error @+1 {{the module has no bf16 activations to keep; import it with --precision=bf16}}
module {
  func.func @already_f32(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = k3.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    return %y : tensor<?x8xf32>
  }
}
