// Sums with few outputs become partial sums, added pairwise; others stay as they are.
// RUN: %tepal opt %s "--tepal-reassociate=parallel=1 cycles=7" | FileCheck %s
// RUN: %tepal build %s --reassociate --parallel 4 -o %t --check && %tepal sim %t --simulator icarus

// 3 outputs and 7 cycles: four partial sums of six terms each.
// CHECK-LABEL: func.func @forward
// CHECK-DAG:   tensor.expand_shape %arg0 {{\[\[}}0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
// CHECK-DAG:   arith.constant -0.000000e+00 : f32
// CHECK:       linalg.generic {{.*}}["parallel", "reduction", "parallel"]{{.*}} outs({{.*}} : tensor<4x3xf32>)
// CHECK:       tensor.expand_shape {{.*}} : tensor<4x3xf32> into tensor<2x2x3xf32>
// CHECK:       linalg.generic {{.*}}["parallel", "parallel"]
// CHECK:       arith.addf
// CHECK:       tensor<2x3xf32> into tensor<2x1x3xf32>
// CHECK:       arith.addf
// The initial value comes last.
// CHECK:       linalg.generic {{.*}}["parallel"]
// CHECK:       arith.addf %{{in|in_[0-9]+}}, %{{in|in_[0-9]+}}
// Enough outputs, a length that no power of two divides, and what is no sum: unchanged.
// CHECK-NOT:   expand_shape
#vector = affine_map<(d0, d1) -> (d1)>
#matrix = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
func.func @forward(%x: tensor<24xf32>, %w: tensor<3x24xf32>, %b: tensor<3xf32>, %many: tensor<16x24xf32>,
                   %odd: tensor<3x7xf32>)
    -> (tensor<3xf32>, tensor<16xf32>, tensor<3xf32>, tensor<3xf32>) {
  %few = linalg.generic {indexing_maps = [#vector, #matrix, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<24xf32>, tensor<3x24xf32>) outs(%b : tensor<3xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %zero = arith.constant 0.0 : f32
  %e16 = tensor.empty() : tensor<16xf32>
  %z16 = linalg.fill ins(%zero : f32) outs(%e16 : tensor<16xf32>) -> tensor<16xf32>
  %enough = linalg.generic {indexing_maps = [#matrix, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%many : tensor<16x24xf32>) outs(%z16 : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %prime = linalg.generic {indexing_maps = [#matrix, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%odd : tensor<3x7xf32>) outs(%z3 : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %largest = linalg.generic {indexing_maps = [#matrix, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%w : tensor<3x24xf32>) outs(%b : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %few, %enough, %prime, %largest : tensor<3xf32>, tensor<16xf32>, tensor<3xf32>, tensor<3xf32>
}
