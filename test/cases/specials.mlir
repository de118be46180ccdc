// NaN, infinities, -0 and subnormals through sums, products, maxima and a reduction: the same bits in every stage.
// RUN: %tepal build %s -o %t --check --parallel 4
// RUN: %tepal sim %t --simulator icarus --input %S/pairs.f32.in0.npy %S/pairs.f32.in1.npy
#same = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<529xf32>, %b: tensor<529xf32>) -> (tensor<529xf32>, tensor<23xf32>, tensor<23xf32>, tensor<23x23xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<529xf32>
  %relu = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%a : tensor<529xf32>) outs(%empty : tensor<529xf32>) {
  ^bb0(%x: f32, %o: f32):
    %above = arith.cmpf ugt, %x, %zero : f32
    %r = arith.select %above, %x, %zero : f32
    linalg.yield %r : f32
  } -> tensor<529xf32>
  %row = tensor.empty() : tensor<23xf32>
  %square = tensor.empty() : tensor<23x23xf32>
  %rows = tensor.expand_shape %b [[0, 1]] output_shape [23, 23] : tensor<529xf32> into tensor<23x23xf32>
  %columns = tensor.expand_shape %a [[0, 1]] output_shape [23, 23] : tensor<529xf32> into tensor<23x23xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%row : tensor<23xf32>) -> tensor<23xf32>
  %largest = linalg.reduce ins(%rows : tensor<23x23xf32>) outs(%low : tensor<23xf32>) dimensions = [1]
      (%x: f32, %o: f32) {
        %r = arith.maximumf %o, %x : f32
        linalg.yield %r : f32
      }
  %start = linalg.fill ins(%zero : f32) outs(%row : tensor<23xf32>) -> tensor<23xf32>
  %sums = linalg.reduce ins(%columns : tensor<23x23xf32>) outs(%start : tensor<23xf32>) dimensions = [0]
      (%x: f32, %o: f32) {
        %r = arith.addf %o, %x : f32
        linalg.yield %r : f32
      }
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<23x23xf32>) -> tensor<23x23xf32>
  %product = linalg.matmul ins(%rows, %columns : tensor<23x23xf32>, tensor<23x23xf32>) outs(%zeros : tensor<23x23xf32>) -> tensor<23x23xf32>
  return %relu, %largest, %sums, %product : tensor<529xf32>, tensor<23xf32>, tensor<23xf32>, tensor<23x23xf32>
}
