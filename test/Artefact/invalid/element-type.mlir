// RUN: not k3-compile %s --compile-to=artefact 2>&1 | FileCheck %s
// CHECK: error: 'arg0' has type 'tensor<?xi1>' (wanted a tensor of rank 8 at most
func.func @f(%a: tensor<?xi1>) -> tensor<?xi1> {
  return %a : tensor<?xi1>
}
