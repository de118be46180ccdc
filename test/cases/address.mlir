// Addresses of rank 4: ReLU of n - 150, by data (--expect) and in every stage.
// RUN: %tepal build %s -o %t --check --parallel 4
// RUN: %tepal sim %t --simulator icarus --input %S/relu.in0.npy --expect %S/relu.out0.npy --rtol 0 --atol 0
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @main(%x: tensor<1x3x10x10xf32>) -> tensor<1x3x10x10xf32> {
  %empty = tensor.empty() : tensor<1x3x10x10xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x3x10x10xf32>) outs(%empty : tensor<1x3x10x10xf32>) {
  ^bb0(%a: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x3x10x10xf32>
  return %y : tensor<1x3x10x10xf32>
}
