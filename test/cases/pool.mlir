// Pooling at the border, kernel 3, stride 2, padding 1, all values -5: the padding of a max pool never wins; averages
// count the padding, or do not.
// RUN: %tepal build %s -o %t --check --parallel 4
// RUN: %tepal sim %t --simulator icarus --input %S/pool.in0.npy --expect %S/pool.out0.npy %S/pool.out1.npy %S/pool.out2.npy
#read = affine_map<(n, c, i, j, k, l) -> (n, c, i * 2 + k, j * 2 + l)>
#window = affine_map<(n, c, i, j, k, l) -> (k, l)>
#place = affine_map<(n, c, i, j, k, l) -> (n, c, i, j)>
#same = affine_map<(n, c, i, j) -> (n, c, i, j)>
func.func @main(%x: tensor<1x1x5x3xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty() : tensor<1x1x3x2xf32>
  %below = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %lowest : f32
  } : tensor<1x1x5x3xf32> to tensor<1x1x7x5xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%empty : tensor<1x1x3x2xf32>) -> tensor<1x1x3x2xf32>
  %largest = linalg.generic {indexing_maps = [#read, #window, #place],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%below, %window : tensor<1x1x7x5xf32>, tensor<3x3xf32>) outs(%start : tensor<1x1x3x2xf32>) {
  ^bb0(%a: f32, %w: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<1x1x3x2xf32>
  %around = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x5x3xf32> to tensor<1x1x7x5xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x1x3x2xf32>) -> tensor<1x1x3x2xf32>
  %sums = linalg.generic {indexing_maps = [#read, #window, #place],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%around, %window : tensor<1x1x7x5xf32>, tensor<3x3xf32>) outs(%zeros : tensor<1x1x3x2xf32>) {
  ^bb0(%a: f32, %w: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<1x1x3x2xf32>
  %whole = arith.constant dense<1.0> : tensor<1x1x5x3xf32>
  %ones = tensor.pad %whole low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x5x3xf32> to tensor<1x1x7x5xf32>
  %counts = linalg.generic {indexing_maps = [#read, #window, #place],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%ones, %window : tensor<1x1x7x5xf32>, tensor<3x3xf32>) outs(%zeros : tensor<1x1x3x2xf32>) {
  ^bb0(%a: f32, %w: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<1x1x3x2xf32>
  %averages:2 = linalg.generic {indexing_maps = [#same, #same, #same, #same],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums, %counts : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>)
      outs(%empty, %empty : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) {
  ^bb0(%a: f32, %n: f32, %o: f32, %p: f32):
    %nine = arith.constant 9.0 : f32
    %r = arith.divf %a, %nine : f32
    %s = arith.divf %a, %n : f32
    linalg.yield %r, %s : f32, f32
  } -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>)
  return %largest, %averages#0, %averages#1 : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>
}
