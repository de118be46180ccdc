// Reshapes, slices, concatenations and transposes of many ranks: no view is left, and every element lies where
// it should.
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %tepal run %s --seed 7 -o %t.reference
// RUN: %tepal run %t.mlir --seed 7 -o %t.affine
// RUN: diff -r %t.reference %t.affine

// CHECK-NOT: {{memref\.(subview|cast|collapse|expand|reinterpret|copy|reshape)}}
// A loop over a flattened input is two loops, and no index is divided.
// CHECK-NOT: floordiv
func.func @forward(%x: tensor<2x3x4x5xf32>, %y: tensor<6xf32>, %z: tensor<2x2x3x1x2x2xf32>)
    -> (tensor<120xf32>, tensor<5x4x3x2xf32>, tensor<4x6xf32>, tensor<2x2x12xf32>, tensor<2x3x2xf32>,
        tensor<48xf32>, tensor<2x3x4x5xf32>) {
  %flat = tensor.collapse_shape %x [[0, 1, 2, 3]] : tensor<2x3x4x5xf32> into tensor<120xf32>
  %double = arith.addf %flat, %flat : tensor<120xf32>
  %e0 = tensor.empty() : tensor<5x4x3x2xf32>
  %back = linalg.transpose ins(%x : tensor<2x3x4x5xf32>) outs(%e0 : tensor<5x4x3x2xf32>) permutation = [3, 2, 1, 0]
  // Every second row, every third column from 1 on.
  %slice = tensor.extract_slice %x[0, 1, 0, 1] [2, 2, 2, 2] [1, 1, 2, 3] : tensor<2x3x4x5xf32> to tensor<2x2x2x2xf32>
  %rows = tensor.collapse_shape %slice [[0, 1], [2, 3]] : tensor<2x2x2x2xf32> into tensor<4x4xf32>
  %parts = tensor.expand_shape %y [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %first = tensor.extract_slice %parts[0, 0] [2, 2] [1, 1] : tensor<3x2xf32> to tensor<2x2xf32>
  %last = tensor.extract_slice %parts[1, 0] [2, 2] [1, 1] : tensor<3x2xf32> to tensor<2x2xf32>
  %stack = tensor.concat dim(0) %first, %last : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %joined = tensor.concat dim(1) %rows, %stack : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x6xf32>
  %z3 = tensor.collapse_shape %z [[0], [1], [2, 3, 4, 5]] : tensor<2x2x3x1x2x2xf32> into tensor<2x2x12xf32>
  %y3 = tensor.expand_shape %y [[0, 1, 2]] output_shape [1, 3, 2] : tensor<6xf32> into tensor<1x3x2xf32>
  %both = tensor.concat dim(0) %y3, %y3 : (tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<2x3x2xf32>
  %z1 = tensor.collapse_shape %z [[0, 1, 2, 3, 4, 5]] : tensor<2x2x3x1x2x2xf32> into tensor<48xf32>
  %square = arith.mulf %z1, %z1 : tensor<48xf32>
  return %double, %back, %joined, %z3, %both, %square, %x
      : tensor<120xf32>, tensor<5x4x3x2xf32>, tensor<4x6xf32>, tensor<2x2x12xf32>, tensor<2x3x2xf32>,
        tensor<48xf32>, tensor<2x3x4x5xf32>
}
