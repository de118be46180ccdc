// A concatenation is read where its parts come from: no nest copies them, and each load has the
// predicate that says whether the element is in its part.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK: memory output out0
// CHECK-NEXT: nest addf (i 2, j 7)
// CHECK: load a[3*i + j] : f32 if
// CHECK: load b[4*i + j - 3] : f32 if [[IN:%[0-9]+]]
// CHECK-NEXT: select [[IN]],
// CHECK: store {{.*}}, out0[7*i + j] : f32
// CHECK-NOT: {{^}}nest
func.func @forward(%a: tensor<2x3xf32> {tepal.name = "a"}, %b: tensor<2x4xf32> {tepal.name = "b"}, %c: tensor<2x7xf32> {tepal.name = "c"}) -> tensor<2x7xf32> {
  %e = tensor.empty() : tensor<2x7xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x7xf32>
  %1 = tensor.insert_slice %b into %0[0, 3] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x7xf32>
  %2 = arith.addf %1, %c : tensor<2x7xf32>
  return %2 : tensor<2x7xf32>
}
