// Sizes that no power of two divides: factors that leave the fewest turns, remainders under a predicate, the convolution at
// II = 1, and the same bits as the reference after every pass.
//
// RUN: %tepal build %s -o %t --check --parallel 4 | FileCheck %s --check-prefix=FOUR
// RUN: %tepal build %s -o %t --check --parallel 7 | FileCheck %s --check-prefix=SEVEN
// RUN: %tepal build %s --check --parallel 16 --emit=loops | FileCheck %s --check-prefix=BANKS

// The slice flattens the convolution's result; it is cut along the loops that store to it all the same.
// FOUR: mac {{.*}} 1 {{.*}} 5,1
// FOUR: mac {{ *}}4 {{ *}}91 %  i 7  j 11/4
// SEVEN: mac {{.*}} 1 {{.*}} 2,6
// SEVEN: mac {{ *}}7 {{ *}}99 %  i 7/7

// 11 rows cut in two: the last row of the second bank is never there, so its accesses have a predicate.
// BANKS: memory local mac_bank13{{.*}} : f32[1x6x9]
// BANKS: nest mac (j 6, l 3, m 3, n 3, k 9) {
// BANKS: store {{.*}} if
// BANKS: schedule of mac: II 1

func.func @conv(%x: tensor<1x3x13x11xf32>, %w: tensor<7x3x3x3xf32>, %v: tensor<231x23xf32>) -> tensor<1x23xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x7x11x9xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x7x11x9xf32>) -> tensor<1x7x11x9xf32>
  %2 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x13x11xf32>, tensor<7x3x3x3xf32>)
         outs(%1 : tensor<1x7x11x9xf32>) -> tensor<1x7x11x9xf32>
  %3 = tensor.extract_slice %2[0, 0, 0, 0] [1, 7, 11, 3] [1, 1, 1, 3] : tensor<1x7x11x9xf32> to tensor<1x7x11x3xf32>
  %4 = tensor.collapse_shape %3 [[0], [1, 2, 3]] : tensor<1x7x11x3xf32> into tensor<1x231xf32>
  %5 = tensor.empty() : tensor<1x23xf32>
  %6 = linalg.fill ins(%zero : f32) outs(%5 : tensor<1x23xf32>) -> tensor<1x23xf32>
  %7 = linalg.matmul ins(%4, %v : tensor<1x231xf32>, tensor<231x23xf32>) outs(%6 : tensor<1x23xf32>) -> tensor<1x23xf32>
  return %7 : tensor<1x23xf32>
}
