// RUN: not k3-compile %s --compile-to=artefact 2>&1 | FileCheck %s
// CHECK: error: two inputs have the name 'x'
// CHECK: k3-compile: error[K3-E0503]: {{.*}}: no plan for the module's entry points
func.func @f(%a: tensor<?x8xf32> {k3.name = "x"},
             %b: tensor<?x8xf32> {k3.name = "x"}) -> tensor<?x8xf32> {
  return %a : tensor<?x8xf32>
}
