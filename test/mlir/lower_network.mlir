// From tensors to loops: one guarded nest for the padding, the bias as initial value, elementwise
// work fused and in place, a constant weight transposed at compile time, no copy of the result.
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %tepal run %s --seed 5 -o %t.reference
// RUN: %tepal run %t.mlir --seed 5 -o %t.affine
// RUN: diff -r %t.reference %t.affine

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK: func.func public @forward(%[[X:.*]]: memref<1x2x6x6xf32> {tepal.name = "x"}, %[[Y:.*]]: memref<1x5xf32> {tepal.name = "y", tepal.output})
// CHECK-DAG: %[[PADDED:.*]] = memref.alloc() : memref<1x2x8x8xf32>
// CHECK-DAG: %[[CONV:.*]] = memref.alloc() : memref<1x3x6x6xf32>
// CHECK-DAG: %[[POOL:.*]] = memref.alloc() : memref<1x27xf32>
// CHECK-NOT: memref.alloc
func.func @forward(%x: tensor<1x2x6x6xf32> {tepal.name = "x"}) -> (tensor<1x5xf32> {tepal.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %kernel = arith.constant dense<0.25> : tensor<3x2x3x3xf32>
  %bias = arith.constant dense<[0.5, -0.5, 0.125]> : tensor<3xf32>
  // CHECK: affine.if
  // CHECK: affine.load %[[X]]
  // CHECK: else
  // CHECK: affine.store %{{.*}}, %[[PADDED]]
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x2x6x6xf32> to tensor<1x2x8x8xf32>
  %0 = tensor.empty() : tensor<1x3x6x6xf32>
  // CHECK: affine.store %{{.*}}, %[[CONV]]
  %start = linalg.broadcast ins(%bias : tensor<3xf32>) outs(%0 : tensor<1x3x6x6xf32>) dimensions = [0, 2, 3]
  // CHECK: affine.load %[[PADDED]][0, %{{.*}}, %{{.*}} + %{{.*}}, %{{.*}} + %{{.*}}]
  // CHECK: affine.store %{{.*}}, %[[CONV]]
  %conv = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %kernel : tensor<1x2x8x8xf32>, tensor<3x2x3x3xf32>) outs(%start : tensor<1x3x6x6xf32>) -> tensor<1x3x6x6xf32>
  // CHECK: arith.maximumf
  // CHECK: affine.store %{{.*}}, %[[CONV]]
  %relu = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%conv : tensor<1x3x6x6xf32>) outs(%0 : tensor<1x3x6x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x3x6x6xf32>
  // CHECK: affine.store %{{.*}}, %[[POOL]][0, %{{.*}} * 9 + %{{.*}} * 3 + %{{.*}}]
  %1 = tensor.empty() : tensor<1x3x3x3xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %2 = linalg.fill ins(%lowest : f32) outs(%1 : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
  %pool = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%relu, %window : tensor<1x3x6x6xf32>, tensor<2x2xf32>) outs(%2 : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
  %flat = tensor.collapse_shape %pool [[0], [1, 2, 3]] : tensor<1x3x3x3xf32> into tensor<1x27xf32>
  // The weights are stored as [out, in].
  %w = call @weight() : () -> tensor<5x27xf32>
  %3 = tensor.empty() : tensor<27x5xf32>
  %wt = linalg.transpose ins(%w : tensor<5x27xf32>) outs(%3 : tensor<27x5xf32>) permutation = [1, 0]
  %4 = tensor.empty() : tensor<1x5xf32>
  %5 = linalg.fill ins(%zero : f32) outs(%4 : tensor<1x5xf32>) -> tensor<1x5xf32>
  // CHECK: affine.for %[[N:.*]] = 0 to 5
  // CHECK: affine.for %[[K:.*]] = 0 to 27
  // CHECK: affine.load %[[POOL]][0, %[[K]]]
  // CHECK: affine.load %{{.*}}[%[[K]], %[[N]]] : memref<27x5xf32>
  // CHECK: affine.store %{{.*}}, %[[Y]]
  %y = linalg.matmul ins(%flat, %wt : tensor<1x27xf32>, tensor<27x5xf32>) outs(%5 : tensor<1x5xf32>) -> tensor<1x5xf32>
  // CHECK-NOT: affine.for
  // CHECK: return
  return %y : tensor<1x5xf32>
}
func.func private @weight() -> tensor<5x27xf32> {
  %0 = arith.constant dense<[
    [-1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25],
    [-0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75],
    [-0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25],
    [0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00],
    [0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50, 1.25, 0.25, -0.75, 1.00, 0.00, -1.00, 0.75, -0.25, -1.25, 0.50, -0.50]]> : tensor<5x27xf32>
  return %0 : tensor<5x27xf32>
}
