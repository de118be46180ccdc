// Elementwise work is fused where that repeats nothing; a producer with arithmetic that a consumer would repeat
// stays, as do its operators of its own.
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %tepal run %s --seed 13 -o %t.reference
// RUN: %tepal run %t.mlir --seed 13 -o %t.affine
// RUN: diff -r %t.reference %t.affine

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @forward(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> tensor<4x8xf32> {
  %e1 = tensor.empty() : tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  // A division per row, not per element.
  // CHECK: affine.for %{{.*}} = 0 to 4 {
  // CHECK-NOT: affine.for
  // CHECK: arith.divf
  // CHECK: affine.store
  %inverse = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %one, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  // CHECK: affine.for
  // CHECK: affine.for
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK: arith.maximumf
  // CHECK-NOT: affine.for
  %scaled = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %inverse : tensor<4x8xf32>, tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %sum = arith.addf %scaled, %x : tensor<4x8xf32>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %relu = arith.maximumf %sum, %zero : tensor<4x8xf32>
  return %relu : tensor<4x8xf32>
}
