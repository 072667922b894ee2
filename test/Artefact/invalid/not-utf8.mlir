// RUN: not k3-compile %s -o %t 2>&1 | FileCheck %s
// RUN: not ls %t
// CHECK: k3-compile: error[K3-E0541]: {{.*}}: a name of the module is not UTF-8 text
func.func @f(%a: tensor<?x8xf32> {k3.name = "\FF\FE"}) -> tensor<?x8xf32> {
  return %a : tensor<?x8xf32>
}
