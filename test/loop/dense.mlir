// Two dense layers: the bias is added in the last step, the outputs run inside the sum, nothing else is left.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK:      nest {{[a-z_0-9]+}} (ic 3, oc 9) {
// CHECK:      mulf
// CHECK:      addf
// CHECK:      addf
// CHECK:      store {{.*}} : f32 if
// CHECK-NEXT: }
// CHECK-NEXT: nest {{[a-z_0-9]+}} (ic 9, oc 3) {
// CHECK:      store {{.*}}, y[oc] : f32{{$}}
// CHECK-NEXT: }
// CHECK-NOT:  nest
#row = affine_map<(a, b) -> (b)>
#id = affine_map<(a, b) -> (a, b)>
func.func @forward(%x: tensor<1x3xf32> {tepal.name = "x"})
    -> (tensor<1x3xf32> {tepal.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant dense<[[-2.0, -1.75, -1.5, -1.25, -1.0, -0.75, -0.5, -0.25, 0.0],
                                 [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25],
                                 [2.5, 2.75, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5]]> : tensor<3x9xf32>
  %bias = arith.constant dense<[1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0, 9.0]> : tensor<9xf32>
  %second = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.5, 2.5, 3.5], [4.5, 5.5, 6.5],
                                  [7.5, 8.5, 9.5], [1.25, 2.25, 3.25], [4.25, 5.25, 6.25], [7.25, 8.25, 9.25]]> : tensor<9x3xf32>
  %e = tensor.empty() : tensor<1x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9xf32>) -> tensor<1x9xf32>
  %m = linalg.matmul ins(%x, %first : tensor<1x3xf32>, tensor<3x9xf32>) outs(%f : tensor<1x9xf32>) -> tensor<1x9xf32>
  %b = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %bias : tensor<1x9xf32>, tensor<9xf32>) outs(%e : tensor<1x9xf32>) {
  ^bb0(%in: f32, %add: f32, %out: f32):
    %s = arith.addf %in, %add : f32
    linalg.yield %s : f32
  } -> tensor<1x9xf32>
  %o = tensor.empty() : tensor<1x3xf32>
  %g = linalg.fill ins(%zero : f32) outs(%o : tensor<1x3xf32>) -> tensor<1x3xf32>
  %y = linalg.matmul ins(%b, %second : tensor<1x9xf32>, tensor<9x3xf32>) outs(%g : tensor<1x3xf32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}
