// A named operation with reshapes around it becomes generic on the way of upstream, and then would take in what it reads: a
// matmul would divide for every product. A division per element of %x is what is wanted.
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %tepal run %s --seed 13 -o %t.reference
// RUN: %tepal run %t.mlir --seed 13 -o %t.affine
// RUN: diff -r %t.reference %t.affine

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @forward(%x: tensor<1x4x8xf32>, %w: tensor<8x5xf32>) -> tensor<1x4x5xf32> {
  // CHECK: arith.divf
  // CHECK-NEXT: affine.store
  // CHECK: affine.for
  // CHECK-NOT: arith.divf
  // CHECK: arith.mulf
  // CHECK-NEXT: arith.addf
  %e1 = tensor.empty() : tensor<1x4x8xf32>
  %inverse = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<1x4x8xf32>) outs(%e1 : tensor<1x4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %one, %in : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x8xf32>
  %flat = tensor.collapse_shape %inverse [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
  %zero = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<4x5xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %product = linalg.matmul ins(%flat, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%start : tensor<4x5xf32>) -> tensor<4x5xf32>
  %result = tensor.expand_shape %product [[0, 1], [2]] output_shape [1, 4, 5] : tensor<4x5xf32> into tensor<1x4x5xf32>
  %more = arith.addf %result, %result : tensor<1x4x5xf32>
  return %more : tensor<1x4x5xf32>
}
