// RUN: k3-opt %s --k3-set-precision=precision=fp8 --verify-diagnostics

// expected-error @+1 {{precision must be 'f32' or 'bf16', got 'fp8'}}
module {
}
