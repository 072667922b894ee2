// RUN: not k3-compile %s --compile-to=artefact 2>&1 | FileCheck %s
// CHECK: error: result 0 is the pool of a state
k3.state @s : tensor<64x3xf32>
func.func @f() -> tensor<?x64x3xf32> {
  %s = k3.get_state @s : tensor<?x64x3xf32>
  return %s : tensor<?x64x3xf32>
}
