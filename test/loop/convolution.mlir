// Padding, bias, convolution and ReLU are one nest, pooling a second one; the sums are a buffer for one channel.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK:      memory input x : f32[1x2x8x8]
// CHECK-NEXT: memory output y : f32[1x4x4x4]
// CHECK-NOT:  [1x2x10x10]
// CHECK:      nest {{[a-z_0-9]+}} (oc 4, ic 2, kh 3, kw 3, oh 8, ow 8) {
// CHECK:      load x[{{.*}}] : f32 if
// CHECK:      select
// CHECK:      mulf
// CHECK:      addf
// CHECK:      store {{.*}}_sum[8*oh + ow] : f32{{$}}
// CHECK:      cmpf ugt
// CHECK:      store {{.*}}[64*oc + 8*oh + ow] : f32 if
// CHECK-NEXT: }
// CHECK:      nest {{[a-z_0-9]+}} (i 4
// CHECK:      maximumf
// CHECK:      store {{.*}}, y[
// CHECK-NEXT: }
// CHECK-NOT:  nest
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @forward(%x: tensor<1x2x8x8xf32> {tepal.name = "x"})
    -> (tensor<1x4x4x4xf32> {tepal.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %weight = arith.constant dense<[[[[0.5, 1.5, 2.5], [0.25, -1.0, 3.0], [1.0, 0.125, -2.0]],
                                  [[1.5, 0.5, 0.0], [2.0, -0.5, 0.75], [-1.0, 2.0, 0.5]]],
                                 [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
                                  [[-1.0, -2.0, -3.0], [-4.0, 5.5, 6.5], [0.5, 0.25, 0.125]]],
                                 [[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]],
                                  [[1.1, 1.2, 1.3], [1.4, 1.5, 1.6], [1.7, 1.8, 1.9]]],
                                 [[[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]],
                                  [[2.0, 0.0, -2.0], [1.0, 0.0, -1.0], [2.0, 0.0, -2.0]]]]> : tensor<4x2x3x3xf32>
  %bias = arith.constant dense<[0.5, -0.25, 1.0, 2.0]> : tensor<4xf32>
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x2x8x8xf32> to tensor<1x2x10x10xf32>
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %b = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e : tensor<1x4x8x8xf32>) dimensions = [0, 2, 3]
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%padded, %weight : tensor<1x2x10x10xf32>, tensor<4x2x3x3xf32>)
      outs(%b : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %positive = arith.cmpf ugt, %in, %zero : f32
    %s = arith.select %positive, %in, %zero : f32
    linalg.yield %s : f32
  } -> tensor<1x4x8x8xf32>
  %p = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%least : f32) outs(%p : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%r, %w : tensor<1x4x8x8xf32>, tensor<2x2xf32>)
      outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}
