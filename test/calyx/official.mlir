// The Calyx program of a design with weights and a fused tail, through the official compiler: the same bits in the same
// number of cycles.
// REQUIRES: calyx
// RUN: rm -rf %t && %tepal build %s -o %t.d --emit calyx=%t.futil >/dev/null
// RUN: python3 %S/official.py %tepal %calyx %t.d %t.futil | FileCheck %s
// CHECK: out0: 12 words equal
// CHECK: cycles: [[CYCLES:[0-9]+]] and [[CYCLES]] equal
module {
  func.func @main(%x: tensor<3x8xf32>) -> tensor<3x4xf32> {
    %w = arith.constant dense<[[0.5, -1.0, 2.0, 0.25], [1.5, 0.75, -0.5, 1.0], [-2.0, 0.125, 3.0, -1.25],
                               [0.1, 0.2, 0.3, 0.4], [1.0, -1.0, 1.0, -1.0], [0.7, 0.9, -0.3, 2.5],
                               [-0.6, 1.1, 0.8, -0.2], [0.0, 4.0, -4.0, 0.5]]> : tensor<8x4xf32>
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<3x4xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x4xf32>) -> tensor<3x4xf32>
    %dense = linalg.matmul ins(%x, %w : tensor<3x8xf32>, tensor<8x4xf32>)
                           outs(%init : tensor<3x4xf32>) -> tensor<3x4xf32>
    %relu = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%dense : tensor<3x4xf32>) outs(%empty : tensor<3x4xf32>) {
      ^bb0(%value: f32, %out: f32):
        %max = arith.maximumf %value, %zero : f32
        linalg.yield %max : f32
    } -> tensor<3x4xf32>
    return %relu : tensor<3x4xf32>
  }
}
